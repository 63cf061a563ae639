#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <type_traits>

template <typename T>
class DenseGrid {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  DenseGrid(std::size_t rows, std::size_t cols, const T& fill = T())
      : rows_(rows), cols_(cols), capacity_(rows * cols), cells_(new T[rows * cols]) {
    std::fill(cells_, cells_ + capacity_, fill);
  }

  DenseGrid(const DenseGrid& other) : rows_(0), cols_(0), capacity_(0), cells_(nullptr) {
    operator=(other);
  }

  DenseGrid& operator=(const DenseGrid& other) {
    if (this == &other) return *this;
    const std::size_t needed = other.rows_ * other.cols_;
    if (needed > capacity_) {
      T* grown = new T[needed];
      delete[] cells_;
      cells_ = grown;
      capacity_ = needed;
    }
    std::copy(other.cells_, other.cells_ + needed, cells_);
    rows_ = other.rows_;
    cols_ = other.cols_;
    return *this;
  }

  ~DenseGrid() { delete[] cells_; }

  T& operator()(std::size_t r, std::size_t c) {
    if (r >= rows_ || c >= cols_) throw std::out_of_range("DenseGrid");
    return cells_[r * cols_ + c];
  }

  std::size_t rows() const { return rows_; }
  std::size_t cols() const { return cols_; }

 private:
  std::size_t rows_;
  std::size_t cols_;
  std::size_t capacity_;
  T* cells_;
};

double Trace(const DenseGrid<double>& grid) {
  DenseGrid<double> scratch(grid);
  double sum = 0;
  const std::size_t n = std::min(scratch.rows(), scratch.cols());
  for (std::size_t i = 0; i < n; ++i) sum += scratch(i, i);
  return sum;
}
