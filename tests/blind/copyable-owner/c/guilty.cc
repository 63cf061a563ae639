// Lap timing of GPU lanes in the render farm.
#include <cuda_runtime.h>

#include <stdexcept>
#include <utility>
#include <vector>

namespace farm {

inline void check(cudaError_t status) {
  if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}

class LaneClock {
 public:
  LaneClock() { check(cudaEventCreate(&start_)); }
  explicit LaneClock(unsigned flags) { check(cudaEventCreateWithFlags(&start_, flags)); }
  LaneClock(const LaneClock &) = delete;
  ~LaneClock() { drop(); }

  void mark(cudaStream_t stream) { check(cudaEventRecord(start_, stream)); }

  float since(const LaneClock &earlier) const {
    float ms = 0.0f;
    check(cudaEventSynchronize(start_));
    check(cudaEventElapsedTime(&ms, earlier.start_, start_));
    return ms;
  }

 private:
  void drop() noexcept {
    if (start_ != nullptr) cudaEventDestroy(start_);
    start_ = nullptr;
  }

  cudaEvent_t start_ = nullptr;
};

class Lane {
 public:
  explicit Lane(cudaStream_t stream) : stream_(stream) {}

  void restart(bool blocking) {
    clock_ = LaneClock(blocking ? cudaEventBlockingSync : cudaEventDefault);
    clock_.mark(stream_);
    laps_.clear();
  }

  void lap() {
    LaneClock now;
    now.mark(stream_);
    laps_.push_back(now.since(clock_));
  }

  const std::vector<float> &laps() const { return laps_; }

 private:
  cudaStream_t stream_;
  LaneClock clock_;
  std::vector<float> laps_;
};

}  // namespace farm
