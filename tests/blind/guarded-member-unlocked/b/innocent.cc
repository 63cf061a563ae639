#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>

class CrawlerQueue {
 public:
  bool Add(std::string url) {
    {
      std::lock_guard<std::mutex> hold(state_lock_);
      if (stopped_ || !seen_.insert(url).second) return false;
      frontier_.push_back(std::move(url));
    }
    wake_.notify_one();
    return true;
  }

  std::optional<std::string> Next() {
    std::unique_lock<std::mutex> hold(state_lock_);
    wake_.wait(hold, [this] { return stopped_ || !frontier_.empty(); });
    if (frontier_.empty()) return std::nullopt;
    std::string url = std::move(frontier_.front());
    frontier_.pop_front();
    return url;
  }

  void Resume() {
    std::lock_guard<std::mutex> hold(state_lock_);
    stopped_ = false;
  }

  void Abort() {
    {
      std::lock_guard<std::mutex> hold(state_lock_);
      if (stopped_) return;
      stopped_ = true;
      Forget();
    }
    wake_.notify_all();
  }

 private:
  void Forget() {
    frontier_.clear();
    seen_.clear();
  }

  std::mutex state_lock_;
  std::condition_variable wake_;
  bool stopped_ = false;
  std::deque<std::string> frontier_;
  std::unordered_set<std::string> seen_;
};
