#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>

class GpuSorter {
 public:
  explicit GpuSorter(std::size_t capacity) : capacity_(capacity) {
    if (cudaMalloc(reinterpret_cast<void**>(&keys_), capacity * sizeof(uint64_t)) != cudaSuccess) {
      throw std::runtime_error("GpuSorter: keys");
    }
    if (cudaMalloc(reinterpret_cast<void**>(&values_), capacity * sizeof(uint32_t)) !=
        cudaSuccess) {
      cudaFree(keys_);
      throw std::runtime_error("GpuSorter: values");
    }
    if (cudaMalloc(&scratch_, ScratchBytes(capacity)) != cudaSuccess) {
      cudaFree(values_);
      cudaFree(keys_);
      throw std::runtime_error("GpuSorter: scratch");
    }
  }

  GpuSorter(const GpuSorter&) = delete;
  GpuSorter& operator=(const GpuSorter&) = delete;

  ~GpuSorter() {
    cudaFree(scratch_);
    cudaFree(values_);
    cudaFree(keys_);
  }

  cudaError_t Upload(const uint64_t* keys, const uint32_t* values, std::size_t count,
                     cudaStream_t stream) {
    if (count > capacity_) return cudaErrorInvalidValue;
    cudaError_t error = cudaMemcpyAsync(keys_, keys, count * sizeof(uint64_t),
                                        cudaMemcpyHostToDevice, stream);
    if (error != cudaSuccess) return error;
    error = cudaMemcpyAsync(values_, values, count * sizeof(uint32_t), cudaMemcpyHostToDevice,
                            stream);
    if (error != cudaSuccess) return error;
    return cudaMemsetAsync(scratch_, 0, ScratchBytes(count), stream);
  }

 private:
  static std::size_t ScratchBytes(std::size_t count) { return 4096 + count * 16; }

  std::size_t capacity_;
  uint64_t* keys_ = nullptr;
  uint32_t* values_ = nullptr;
  void* scratch_ = nullptr;
};
