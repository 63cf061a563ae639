#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <utility>
#include <vector>

namespace hollow {

namespace env {

// True for "1", "on" and "yes".
inline bool flag(const char* name) {
  const char* text = std::getenv(name);
  if (text == nullptr) return false;
  const std::string_view value(text);
  return value == "1" || value == "on" || value == "yes";
}

}  // namespace env

// Small xorshift generator; good enough for dither noise.
class noise_source {
 public:
  explicit noise_source(std::uint32_t seed) noexcept : state_(seed | 1u) {}

  // Uniform in [-1, 1).
  float next() noexcept {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 17;
    state_ ^= state_ << 5;
    return static_cast<float>(static_cast<std::int32_t>(state_)) / 2147483648.0f;
  }

 private:
  std::uint32_t state_;
};

// Turns float samples into 16 bit ones.
class quantizer {
 public:
  quantizer(std::uint32_t seed, bool dither) : noise_(seed), dither_(dither) {}

  std::int16_t operator()(float sample) noexcept {
    float scaled = sample * 32767.0f;
    if (dither_) scaled += 0.5f * (noise_.next() + noise_.next());
    const float rounded = scaled < 0.0f ? scaled - 0.5f : scaled + 0.5f;
    return static_cast<std::int16_t>(std::clamp(rounded, -32768.0f, 32767.0f));
  }

 private:
  noise_source noise_;
  const bool dither_;
};

struct voice {
  std::vector<float> samples;
  std::size_t position = 0;
  float gain = 1.0f;

  bool finished() const noexcept { return position >= samples.size(); }
};

// Sums voices into blocks of output. In bit exact mode, as used by the
// regression suite, gains change at once instead of gliding.
class mixer {
 public:
  explicit mixer(std::size_t block_size)
      : bit_exact_(env::flag("HOLLOW_BIT_EXACT")),
        quantize_(0x9e3779b9u, !bit_exact_),
        accumulator_(block_size) {}

  void play(std::vector<float> samples, float gain) {
    voices_.push_back({std::move(samples), 0, gain});
  }

  void set_master(float gain) noexcept {
    target_ = gain;
    if (bit_exact_) master_ = gain;
  }

  void render(std::vector<std::int16_t>& out) {
    std::fill(accumulator_.begin(), accumulator_.end(), 0.0f);
    for (voice& v : voices_) {
      const std::size_t count =
          std::min(accumulator_.size(), v.samples.size() - v.position);
      for (std::size_t i = 0; i < count; ++i) {
        accumulator_[i] += v.gain * v.samples[v.position + i];
      }
      v.position += count;
    }
    voices_.erase(std::remove_if(voices_.begin(), voices_.end(),
                                 [](const voice& v) { return v.finished(); }),
                  voices_.end());

    out.resize(accumulator_.size());
    for (std::size_t i = 0; i < accumulator_.size(); ++i) {
      master_ += 0.001f * (target_ - master_);
      out[i] = quantize_(master_ * accumulator_[i]);
    }
  }

 private:
  const bool bit_exact_;
  quantizer quantize_;
  std::vector<float> accumulator_;
  std::vector<voice> voices_;
  float master_ = 1.0f;
  float target_ = 1.0f;
};

}  // namespace hollow
