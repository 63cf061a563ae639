#pragma once

#include <memory>
#include <string>
#include <vector>

namespace audio {

struct Op {
  enum Kind { kGain, kMix, kClip } kind;
  float amount;
};

struct Stage {
  int channels = 2;
  std::vector<Op> ops;
};

struct Program {
  int input_channels = 2;
  int sample_rate = 48000;
  std::vector<Stage> stages;
};

enum class Error { kNone, kEmptyProgram, kDevice };

// One rendered step: a run of ops that starts with a given kind.
struct Step {
  Op::Kind first;
  std::vector<Op> ops;
  int channels;
};

class AudioSink {
 public:
  virtual ~AudioSink() = default;
  virtual Error Open(const Program& program) = 0;

 protected:
  int device_channels_ = 0;
  std::vector<Step> steps_;
};

std::unique_ptr<AudioSink> MakeAlsaSink(const std::string& device);
std::unique_ptr<AudioSink> MakePulseSink(const std::string& server);

}  // namespace audio
