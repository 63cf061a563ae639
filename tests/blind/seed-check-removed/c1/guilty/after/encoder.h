// Common interface of the archive encoders.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tapedeck {

class [[nodiscard]] Result {
 public:
  static Result Success() { return Result(true, std::string()); }
  static Result Failure(std::string why) { return Result(false, std::move(why)); }

  explicit operator bool() const { return ok_; }
  const std::string& why() const { return why_; }

 private:
  Result(bool ok, std::string why) : ok_(ok), why_(std::move(why)) {}

  bool ok_;
  std::string why_;
};

struct Frame {
  int sample_rate = 0;
  int channels = 0;
  std::vector<int16_t> samples;  // Interleaved.
};

// All frames of a take have the same rate and channel count.
struct Take {
  std::string title;
  std::vector<Frame> frames;
};

class Encoder {
 public:
  virtual ~Encoder() = default;
  virtual Result Encode(const Take& take, std::vector<uint8_t>* out) = 0;
};

std::unique_ptr<Encoder> MakePcmEncoder();
std::unique_ptr<Encoder> MakeDeltaEncoder();

}  // namespace tapedeck
