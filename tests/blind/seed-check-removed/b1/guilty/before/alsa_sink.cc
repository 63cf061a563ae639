#include <memory>
#include <string>
#include <utility>

#include "audio_sink.h"

namespace audio {
namespace {

bool AlsaConfigure(const std::string& device, int rate, int channels) {
  return !device.empty() && rate > 0 && channels > 0 && channels <= 8;
}

class AlsaSink : public AudioSink {
 public:
  explicit AlsaSink(std::string device) : device_(std::move(device)) {}

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
    return AlsaConfigure(device_, program.sample_rate, device_channels_)
               ? Error::kNone
               : Error::kDevice;
  }

 private:
  std::string device_;
};

}  // namespace

std::unique_ptr<AudioSink> MakeAlsaSink(const std::string& device) {
  return std::make_unique<AlsaSink>(device);
}

}  // namespace audio
