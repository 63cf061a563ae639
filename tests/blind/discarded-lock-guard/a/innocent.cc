#include <cmath>
#include <cstddef>
#include <mutex>

struct Levels {
  float peak = 0.0f;
  float rms = 0.0f;
};

class LevelMeter {
 public:
  void Push(const float* samples, std::size_t count) {
    float peak = 0.0f;
    double sum = 0.0;
    for (std::size_t i = 0; i < count; ++i) {
      const float magnitude = std::fabs(samples[i]);
      if (magnitude > peak) peak = magnitude;
      sum += static_cast<double>(samples[i]) * samples[i];
    }

    std::lock_guard<std::mutex> lock{mutex_};
    if (peak > peak_) peak_ = peak;
    sum_ += sum;
    count_ += count;
  }

  Levels Read() {
    std::lock_guard<std::mutex> lock{mutex_};
    Levels levels;
    levels.peak = peak_;
    if (count_ != 0) levels.rms = static_cast<float>(std::sqrt(sum_ / count_));
    peak_ = 0.0f;
    sum_ = 0.0;
    count_ = 0;
    return levels;
  }

 private:
  std::mutex mutex_;
  float peak_ = 0.0f;
  double sum_ = 0.0;
  std::size_t count_ = 0;
};
