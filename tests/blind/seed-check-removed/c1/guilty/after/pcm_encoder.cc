#include "encoder.h"

namespace tapedeck {
namespace {

void PutLittle32(uint32_t value, std::vector<uint8_t>* out) {
  for (int shift = 0; shift < 32; shift += 8) {
    out->push_back(static_cast<uint8_t>(value >> shift));
  }
}

class PcmEncoder : public Encoder {
 public:
  Result Encode(const Take& take, std::vector<uint8_t>* out) override {
    if (take.frames.empty()) {
      return Result::Failure("pcm: nothing was recorded in " + take.title);
    }
    const Frame& first = take.frames.front();
    PutLittle32(static_cast<uint32_t>(first.sample_rate), out);
    PutLittle32(static_cast<uint32_t>(first.channels), out);
    for (const Frame& frame : take.frames) {
      for (int16_t sample : frame.samples) {
        const auto bits = static_cast<uint16_t>(sample);
        out->push_back(static_cast<uint8_t>(bits));
        out->push_back(static_cast<uint8_t>(bits >> 8));
      }
    }
    return Result::Success();
  }
};

}  // namespace

std::unique_ptr<Encoder> MakePcmEncoder() { return std::make_unique<PcmEncoder>(); }

}  // namespace tapedeck
