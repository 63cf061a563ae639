#include <cuda_runtime.h>

#include <cstddef>
#include <string>
#include <unordered_map>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

#define RETURN_IF_ERROR(expression)             \
  do {                                          \
    absl::Status status_macro_ = (expression);  \
    if (!status_macro_.ok()) return status_macro_; \
  } while (false)

namespace inference {

absl::Status FromCuda(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return absl::OkStatus();
  return absl::InternalError(absl::StrCat(what, ": ", cudaGetErrorString(error)));
}

class WeightCache {
 public:
  WeightCache() = default;
  WeightCache(const WeightCache&) = delete;
  WeightCache& operator=(const WeightCache&) = delete;
  ~WeightCache() {
    for (auto& entry : weights_) cudaFree(entry.second);
  }

  absl::Status Upload(const std::string& name, const void* host, std::size_t bytes) {
    if (weights_.count(name) != 0) {
      return absl::AlreadyExistsError(absl::StrCat("weight ", name, " was uploaded before"));
    }
    void* device = nullptr;
    RETURN_IF_ERROR(FromCuda(cudaMalloc(&device, bytes), "cudaMalloc"));
    RETURN_IF_ERROR(Copy(device, host, bytes));
    weights_.emplace(name, device);
    return absl::OkStatus();
  }

  const void* Find(const std::string& name) const {
    auto it = weights_.find(name);
    return it == weights_.end() ? nullptr : it->second;
  }

 private:
  static absl::Status Copy(void* device, const void* host, std::size_t bytes) {
    return FromCuda(cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
  }

  std::unordered_map<std::string, void*> weights_;
};

}  // namespace inference
