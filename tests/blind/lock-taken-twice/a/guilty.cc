#include <cstddef>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

class RingLog {
 public:
  explicit RingLog(std::size_t capacity) : capacity_(capacity) {}

  std::size_t Size() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return lines_.size();
  }

  bool Full() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return lines_.size() >= capacity_;
  }

  void Write(std::string_view line) {
    if (line.empty()) return;
    std::lock_guard<std::mutex> lock(mutex_);
    if (Full()) DropOldest();
    lines_.emplace_back(line);
    bytes_ += line.size();
  }

  std::vector<std::string> Tail(std::size_t count) const {
    std::lock_guard<std::mutex> lock(mutex_);
    const std::size_t skip = lines_.size() > count ? lines_.size() - count : 0;
    return {lines_.begin() + static_cast<std::ptrdiff_t>(skip), lines_.end()};
  }

 private:
  void DropOldest() {
    if (lines_.empty()) return;
    bytes_ -= lines_.front().size();
    lines_.pop_front();
  }

  const std::size_t capacity_;
  mutable std::mutex mutex_;
  std::deque<std::string> lines_;
  std::size_t bytes_ = 0;
};
