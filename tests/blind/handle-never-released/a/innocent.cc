#include <cublas_v2.h>
#include <cuda_runtime.h>

#include <cstddef>
#include <stdexcept>

class MatrixEngine {
 public:
  explicit MatrixEngine(int device) : device_(device) {
    if (cudaSetDevice(device_) != cudaSuccess) {
      throw std::runtime_error("MatrixEngine: no such device");
    }
    if (cublasCreate(&handle_) != CUBLAS_STATUS_SUCCESS) {
      throw std::runtime_error("MatrixEngine: cublasCreate failed");
    }
  }

  MatrixEngine(const MatrixEngine&) = delete;
  MatrixEngine& operator=(const MatrixEngine&) = delete;
  ~MatrixEngine() { cublasDestroy(handle_); }

  int device() const { return device_; }

  // c = a * b, column-major; a is m x k, b is k x n.
  void Multiply(const float* a, const float* b, float* c, int m, int n, int k,
                cudaStream_t stream) {
    const float one = 1.0f;
    const float zero = 0.0f;
    if (cublasSetStream(handle_, stream) != CUBLAS_STATUS_SUCCESS) {
      throw std::runtime_error("MatrixEngine: cublasSetStream failed");
    }
    const cublasStatus_t status = cublasSgemm(handle_, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &one, a,
                                              m, b, k, &zero, c, m);
    if (status != CUBLAS_STATUS_SUCCESS) {
      throw std::runtime_error("MatrixEngine: cublasSgemm failed");
    }
  }

 private:
  const int device_;
  cublasHandle_t handle_ = nullptr;
};
