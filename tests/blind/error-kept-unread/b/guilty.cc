#include <cuda_runtime.h>

#include <cstddef>
#include <cstdio>
#include <cstring>
#include <stdexcept>

class StagingRing {
 public:
  StagingRing(std::size_t bytes, cudaStream_t stream) : bytes_(bytes), stream_(stream) {
    if (cudaMallocHost(&host_, bytes) != cudaSuccess) throw std::runtime_error("pinned memory");
    if (cudaEventCreateWithFlags(&idle_, cudaEventDisableTiming) != cudaSuccess) {
      cudaFreeHost(host_);
      throw std::runtime_error("event");
    }
  }
  StagingRing(const StagingRing&) = delete;
  StagingRing& operator=(const StagingRing&) = delete;

  ~StagingRing() {
    Drain();
    if (status_ != cudaSuccess) {
      std::fprintf(stderr, "staging ring: %s\n", cudaGetErrorString(status_));
    }
    cudaEventDestroy(idle_);
    cudaFreeHost(host_);
  }

  void Push(const void* source, void* device, std::size_t count) {
    const char* from = static_cast<const char*>(source);
    char* to = static_cast<char*>(device);
    while (count > 0) {
      const std::size_t chunk = count < bytes_ ? count : bytes_;
      Drain();
      std::memcpy(host_, from, chunk);
      Note(cudaMemcpyAsync(to, host_, chunk, cudaMemcpyHostToDevice, stream_));
      Note(cudaEventRecord(idle_, stream_));
      from += chunk;
      to += chunk;
      count -= chunk;
    }
  }

  void Drain() { Note(cudaEventSynchronize(idle_)); }

 private:
  void Note(cudaError_t error) {
    if (error != cudaSuccess) status_ = error;
  }

  const std::size_t bytes_;
  cudaStream_t stream_;
  void* host_ = nullptr;
  cudaEvent_t idle_ = nullptr;
  cudaError_t status_ = cudaSuccess;
};
