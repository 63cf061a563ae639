#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

struct Batch {
  uint64_t sequence = 0;
  std::vector<std::string> records;
};

class Link {
 public:
  explicit Link(std::size_t window) : window_(window) {}

  bool Send(Batch batch) {
    if (sent_.size() >= window_) return false;
    sent_.push_back(std::move(batch));
    return true;
  }

  void Acknowledge(uint64_t sequence) {
    while (!sent_.empty() && sent_.front().sequence <= sequence) sent_.pop_front();
  }

 private:
  std::size_t window_;
  std::deque<Batch> sent_;
};

class TelemetryUplink {
 public:
  explicit TelemetryUplink(std::size_t window) : link_(window) {}

  void Record(std::string line) {
    if (!batch_) {
      batch_.emplace();
      batch_->sequence = ++sequence_;
    }
    batch_->records.push_back(std::move(line));
  }

  bool Flush() {
    if (!batch_.has_value()) return true;
    if (!link_.Send(std::move(*batch_))) return false;
    batch_.reset();
    return true;
  }

  std::size_t pending() const { return batch_ ? batch_->records.size() : 0; }
  void Acknowledge(uint64_t sequence) { link_.Acknowledge(sequence); }

 private:
  Link link_;
  uint64_t sequence_ = 0;
  std::optional<Batch> batch_;
};
