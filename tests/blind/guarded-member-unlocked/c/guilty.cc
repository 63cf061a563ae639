// Taxi dispatch: open calls by ticket.
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

class Worker {
 public:
  Worker() : thread_([this] { run(); }) {}
  ~Worker() {
    post(nullptr);
    thread_.join();
  }
  void post(std::function<void()> task) {
    std::lock_guard<std::mutex> lock(mutex_);
    tasks_.push_back(std::move(task));
    ready_.notify_one();
  }

 private:
  void run() {
    for (;;) {
      std::unique_lock<std::mutex> lock(mutex_);
      ready_.wait(lock, [this] { return !tasks_.empty(); });
      std::function<void()> task = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      if (!task) return;
      task();
    }
  }

  std::mutex mutex_;
  std::condition_variable ready_;
  std::deque<std::function<void()>> tasks_;
  std::thread thread_;
};

class Dispatcher {
 public:
  std::uint64_t open(std::string street) {
    std::lock_guard<std::mutex> lock(mutex_);
    calls_.emplace(++last_, std::move(street));
    return last_;
  }

  void cancel_later(std::uint64_t ticket) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (calls_.count(ticket) == 0) return;
    worker_.post([this, ticket] {
      calls_.erase(ticket);
    });
  }

  std::size_t waiting() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return calls_.size();
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::uint64_t, std::string> calls_;  // guarded by mutex_
  std::uint64_t last_ = 0;                      // guarded by mutex_
  Worker worker_;
};
