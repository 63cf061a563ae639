#include <cuda_runtime.h>

#include <array>
#include <cstddef>
#include <stdexcept>

namespace forecast {

inline void ensure(cudaError_t rc) {
  if (rc != cudaSuccess) throw std::runtime_error(cudaGetErrorString(rc));
}

struct Interval {
  cudaEvent_t begin = nullptr;
  cudaEvent_t end = nullptr;

  void create() {
    ensure(cudaEventCreate(&begin));
    ensure(cudaEventCreate(&end));
  }

  float elapsed() const {
    float ms = 0.0f;
    ensure(cudaEventElapsedTime(&ms, begin, end));
    return ms;
  }
};

/* Wind, humidity and pressure of one grid, advanced on its own stream. */
class Grid {
 public:
  Grid(std::size_t rows, std::size_t cols) : cells_(rows * cols) {
    ensure(cudaStreamCreate(&stream_));
    for (float *&field : fields_) {
      ensure(cudaMalloc(reinterpret_cast<void **>(&field), bytes()));
      ensure(cudaMemsetAsync(field, 0, bytes(), stream_));
    }
    step_.create();
  }

  Grid(const Grid &) = delete;
  Grid &operator=(const Grid &) = delete;

  ~Grid() {
    cudaStreamSynchronize(stream_);
    cudaEventDestroy(step_.begin);
    for (float *field : fields_) cudaFree(field);
    cudaStreamDestroy(stream_);
  }

  void load(std::size_t index, const float *host) {
    ensure(cudaMemcpyAsync(fields_.at(index), host, bytes(),
                           cudaMemcpyHostToDevice, stream_));
  }

  template <typename Launch>
  float advance(Launch &&launch) {
    ensure(cudaEventRecord(step_.begin, stream_));
    launch(fields_, cells_, stream_);
    ensure(cudaEventRecord(step_.end, stream_));
    ensure(cudaEventSynchronize(step_.end));
    return step_.elapsed();
  }

 private:
  std::size_t bytes() const { return cells_ * sizeof(float); }

  std::size_t cells_;
  cudaStream_t stream_ = nullptr;
  std::array<float *, 3> fields_{};
  Interval step_;
};

}  // namespace forecast
