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
    int channels = program.input_channels;
    for (const Stage& stage : program.stages) {
      channels = stage.channels;
      for (const Op& op : stage.ops) {
        const bool joins = !steps_.empty() && steps_.back().first == op.kind;
        if (!joins) steps_.push_back({op.kind, {}, stage.channels});
        steps_.back().ops.push_back(op);
      }
    }
    device_channels_ = std::min(channels, kMaxChannels);
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
