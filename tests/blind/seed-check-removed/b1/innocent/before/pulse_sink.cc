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
    if (program.stages.empty()) {
      return Error::kEmptyProgram;
    }
    device_channels_ = program.stages.back().channels;
    for (const Stage& stage : program.stages) {
      if (stage.ops.empty()) continue;
      steps_.push_back({stage.ops.front().kind, stage.ops, stage.channels});
    }
    return PulseConnect(server_, program.sample_rate, device_channels_)
               ? Error::kNone
               : Error::kDevice;
  }

 private:
  std::string server_;
};

}  // namespace

std::unique_ptr<AudioSink> MakePulseSink(const std::string& server) {
  return std::make_unique<PulseSink>(server);
}

}  // namespace audio
