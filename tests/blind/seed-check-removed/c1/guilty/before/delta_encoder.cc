#include "encoder.h"

namespace tapedeck {
namespace {

void PutVarint(uint32_t value, std::vector<uint8_t>* out) {
  while (value >= 0x80) {
    out->push_back(static_cast<uint8_t>(value | 0x80));
    value >>= 7;
  }
  out->push_back(static_cast<uint8_t>(value));
}

uint32_t ZigZag(int32_t value) {
  return (static_cast<uint32_t>(value) << 1) ^ static_cast<uint32_t>(value >> 31);
}

class DeltaEncoder : public Encoder {
 public:
  Result Encode(const Take& take, std::vector<uint8_t>* out) override {
    if (take.frames.empty()) {
      return Result::Failure("delta: nothing was recorded in " + take.title);
    }
    const Frame& first = take.frames.front();
    PutVarint(static_cast<uint32_t>(first.sample_rate), out);
    PutVarint(static_cast<uint32_t>(first.channels), out);

    int32_t previous = 0;
    for (const Frame& frame : take.frames) {
      for (int16_t sample : frame.samples) {
        PutVarint(ZigZag(sample - previous), out);
        previous = sample;
      }
    }
    return Result::Success();
  }
};

}  // namespace

std::unique_ptr<Encoder> MakeDeltaEncoder() { return std::make_unique<DeltaEncoder>(); }

}  // namespace tapedeck
