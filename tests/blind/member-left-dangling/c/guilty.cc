// Device-side cellular automaton behind the terrain generator.
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#define CUDA_OK(call)                                           \
  do {                                                          \
    const cudaError_t status_ = (call);                         \
    if (status_ != cudaSuccess)                                 \
      throw std::runtime_error(cudaGetErrorString(status_));    \
  } while (0)

namespace terrain {

class Lattice {
 public:
  Lattice() = default;
  Lattice(const Lattice &) = delete;
  Lattice &operator=(const Lattice &) = delete;
  ~Lattice() { (void)cudaFree(cells_); }

  void reshape(std::size_t rows, std::size_t cols) {
    const std::size_t wanted = rows * cols;
    if (wanted <= capacity_) {
      rows_ = rows;
      cols_ = cols;
      return;
    }
    // The old grid goes first: both do not fit on the smaller cards.
    capacity_ = rows_ = cols_ = 0;
    CUDA_OK(cudaFree(cells_));
    void *fresh = nullptr;
    CUDA_OK(cudaMalloc(&fresh, wanted * sizeof(std::uint8_t)));
    cells_ = static_cast<std::uint8_t *>(fresh);
    capacity_ = wanted;
    rows_ = rows;
    cols_ = cols;
  }

  void upload(const std::vector<std::uint8_t> &seed) {
    if (seed.size() != size()) throw std::length_error("seed does not match the grid");
    if (seed.empty()) return;
    CUDA_OK(cudaMemcpy(cells_, seed.data(), seed.size(), cudaMemcpyHostToDevice));
  }

  std::vector<std::uint8_t> download() const {
    std::vector<std::uint8_t> out(size());
    if (!out.empty()) {
      CUDA_OK(cudaMemcpy(out.data(), cells_, out.size(), cudaMemcpyDeviceToHost));
    }
    return out;
  }

  std::size_t size() const { return rows_ * cols_; }

 private:
  std::uint8_t *cells_ = nullptr;
  std::size_t capacity_ = 0;
  std::size_t rows_ = 0;
  std::size_t cols_ = 0;
};

}  // namespace terrain
