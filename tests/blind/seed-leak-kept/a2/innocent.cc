// Partitioned convolution for the reverb send bus.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace mixer {

constexpr size_t kSimdAlign = 32;

struct ImpulseResponse {
  uint32_t id;
  std::vector<float> taps;
};

bool AllocateAligned(size_t floats, float** out) {
  void* p = nullptr;
  if (posix_memalign(&p, kSimdAlign, floats * sizeof(float)) != 0) return false;
  std::memset(p, 0, floats * sizeof(float));
  *out = static_cast<float*>(p);
  return true;
}

using SpectrumKey = std::pair<uint32_t, uint32_t>;  // impulse, block size

struct SpectrumCache {
  SpectrumCache() = default;
  SpectrumCache(const SpectrumCache&) = delete;
  SpectrumCache& operator=(const SpectrumCache&) = delete;
  ~SpectrumCache() {
    for (auto& entry : spectra) std::free(entry.second);
  }

  std::map<SpectrumKey, float*> spectra;
  size_t lookups = 0;
  size_t misses = 0;
};

class ConvolutionReverb {
 public:
  explicit ConvolutionReverb(uint32_t block_size)
      : block_size_(block_size), cache_(std::make_unique<SpectrumCache>()) {}

  bool Process(const ImpulseResponse& ir, const float* in, float* out) {
    const float* spectrum = SpectrumFor(ir);
    if (spectrum == nullptr) {
      std::copy_n(in, block_size_, out);
      return false;
    }
    for (uint32_t i = 0; i < block_size_; ++i) {
      out[i] = (1.0f - wet_) * in[i] + wet_ * in[i] * spectrum[i];
    }
    return true;
  }

  void SetBlockSize(uint32_t block_size) { block_size_ = block_size; }
  void SetWet(float wet) { wet_ = std::clamp(wet, 0.0f, 1.0f); }

 private:
  const float* SpectrumFor(const ImpulseResponse& ir) {
    const SpectrumKey key{ir.id, block_size_};
    ++cache_->lookups;
    if (auto it = cache_->spectra.find(key); it != cache_->spectra.end()) {
      return it->second;
    }
    ++cache_->misses;
    float* data = nullptr;
    if (!AllocateAligned(2 * size_t{block_size_}, &data)) return nullptr;
    const size_t n = std::min<size_t>(ir.taps.size(), block_size_);
    std::copy_n(ir.taps.begin(), n, data);
    cache_->spectra[key] = data;
    return data;
  }

  uint32_t block_size_;
  float wet_ = 0.3f;
  std::unique_ptr<SpectrumCache> cache_;
};

}  // namespace mixer
