#include <hip/hip_runtime.h>

#include <array>
#include <cstddef>
#include <stdexcept>

namespace ultrasound {

inline void ensure(hipError_t rc) {
  if (rc != hipSuccess) throw std::runtime_error(hipGetErrorString(rc));
}

struct Lane {
  void *samples = nullptr;
  std::size_t capacity = 0;
  hipStream_t stream = nullptr;
};

/* One device buffer for each group of transducer elements. */
class Beamformer {
 public:
  static constexpr std::size_t kLanes = 4;

  Beamformer() {
    for (Lane &lane : lanes_) ensure(hipStreamCreate(&lane.stream));
  }

  Beamformer(const Beamformer &) = delete;
  Beamformer &operator=(const Beamformer &) = delete;

  ~Beamformer() {
    for (Lane &lane : lanes_) {
      hipStreamSynchronize(lane.stream);
      hipFree(lane.samples);
      hipStreamDestroy(lane.stream);
    }
  }

  void upload(std::size_t index, const float *echo, std::size_t count) {
    Lane &lane = lanes_.at(index);
    const std::size_t bytes = count * sizeof(float);
    reserve(lane, bytes);
    ensure(hipMemcpyAsync(lane.samples, echo, bytes, hipMemcpyHostToDevice,
                          lane.stream));
  }

  void download(std::size_t index, float *out, std::size_t count) const {
    const Lane &lane = lanes_.at(index);
    const std::size_t bytes = count * sizeof(float);
    if (bytes > lane.capacity) throw std::out_of_range("more than was uploaded");
    ensure(hipMemcpyAsync(out, lane.samples, bytes, hipMemcpyDeviceToHost,
                          lane.stream));
    ensure(hipStreamSynchronize(lane.stream));
  }

 private:
  static void reserve(Lane &lane, std::size_t bytes) {
    if (bytes <= lane.capacity) return;
    ensure(hipStreamSynchronize(lane.stream));
    void *grown = nullptr;
    ensure(hipMalloc(&grown, bytes));
    lane.samples = grown;
    lane.capacity = bytes;
  }

  std::array<Lane, kLanes> lanes_;
};

}  // namespace ultrasound
