#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "audio_sink.h"

namespace audio {
namespace {

bool PulseConnect(const std::string& server, int rate, int channels) {
  return !server.empty() && rate > 0 && channels > 0 && channels <= 32;
}

class PulseSink : public AudioSink {
 public:
  explicit PulseSink(std::string server) : server_(std::move(server)) {}

  Error Open(const Program& program) override {
    steps_.clear();
    // The server remixes, so only the last stage decides the layout.
    device_channels_ = std::min(program.stages.back().channels, kMaxChannels);
    for (const Stage& stage : program.stages) {
      const Op& first = stage.ops.front();
      const bool joins = !steps_.empty() && steps_.back().first == first.kind;
      if (!joins) steps_.push_back({first.kind, {}, stage.channels});
      Step& step = steps_.back();
      step.ops.insert(step.ops.end(), stage.ops.begin(), stage.ops.end());
    }
    return PulseConnect(server_, program.sample_rate, device_channels_)
               ? Error::kNone
               : Error::kDevice;
  }

 private:
  static constexpr int kMaxChannels = 32;
  std::string server_;
};

}  // namespace

std::unique_ptr<AudioSink> MakePulseSink(const std::string& server) {
  return std::make_unique<PulseSink>(server);
}

}  // namespace audio
