#include <cuda_runtime.h>

#include <cstddef>
#include <utility>
#include <vector>

struct Pipeline {
  std::vector<cudaStream_t> streams;
  std::size_t next = 0;
};

static cudaError_t CreateStreams(int device, std::size_t count, std::vector<cudaStream_t>* out) {
  cudaError_t error = cudaSetDevice(device);
  if (error != cudaSuccess) {
    return error;
  }
  std::vector<cudaStream_t> streams;
  streams.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    cudaStream_t stream = nullptr;
    error = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    if (error != cudaSuccess) {
      for (cudaStream_t created : streams) cudaStreamDestroy(created);
      return error;
    }
    streams.push_back(stream);
  }
  *out = std::move(streams);
  return cudaSuccess;
}

cudaError_t PipelineInit(Pipeline* pipeline, int device, std::size_t count) {
  if (!pipeline->streams.empty()) return cudaErrorInvalidValue;
  pipeline->next = 0;
  return CreateStreams(device, count, &pipeline->streams);
}

cudaStream_t PipelineNext(Pipeline* pipeline) {
  cudaStream_t stream = pipeline->streams.at(pipeline->next);
  pipeline->next = (pipeline->next + 1) % pipeline->streams.size();
  return stream;
}

void PipelineDestroy(Pipeline* pipeline) {
  for (cudaStream_t stream : pipeline->streams) {
    cudaStreamSynchronize(stream);
    cudaStreamDestroy(stream);
  }
  pipeline->streams.clear();
}
