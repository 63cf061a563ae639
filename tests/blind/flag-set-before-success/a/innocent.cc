#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <vector>

class Spectrogram {
 public:
  void SetSize(std::size_t size) {
    size_ = size;
    prepared_ = false;
    window_.clear();
  }

  std::vector<float> Process(const std::vector<float>& block) {
    Prepare();
    if (block.size() != size_) throw std::invalid_argument("block has the wrong size");
    std::vector<float> magnitudes(size_ / 2);
    for (std::size_t k = 0; k < magnitudes.size(); ++k) {
      double re = 0, im = 0;
      for (std::size_t n = 0; n < size_; ++n) {
        const double angle = 2.0 * kPi * static_cast<double>(k * n) / static_cast<double>(size_);
        re += window_[n] * block[n] * std::cos(angle);
        im -= window_[n] * block[n] * std::sin(angle);
      }
      magnitudes[k] = static_cast<float>(std::sqrt(re * re + im * im));
    }
    return magnitudes;
  }

 private:
  static constexpr double kPi = 3.14159265358979323846;

  void Prepare() {
    if (prepared_) return;
    window_ = HannWindow(size_);
    prepared_ = true;
  }

  static std::vector<double> HannWindow(std::size_t size) {
    if (size < 2 || (size & (size - 1)) != 0) {
      throw std::invalid_argument("size must be a power of two");
    }
    std::vector<double> window(size);
    for (std::size_t n = 0; n < size; ++n) {
      window[n] = 0.5 - 0.5 * std::cos(2.0 * kPi * static_cast<double>(n) / (size - 1));
    }
    return window;
  }

  std::size_t size_ = 0;
  bool prepared_ = false;
  std::vector<double> window_;
};
