#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace jobs {

enum class State { kQueued, kRunning, kDone, kFailed };

const char *ToString(State state) {
  switch (state) {
    case State::kQueued:
      return "queued";
    case State::kRunning:
      return "running";
    case State::kDone:
      return "done";
    case State::kFailed:
      return "failed";
  }
  return "unknown";
}

class Job {
 public:
  using Listener = std::function<void(const std::string &name, State state)>;
  using Token = int;

  explicit Job(std::string name) : name_(std::move(name)) {}

  Token AddListener(Listener listener) {
    std::lock_guard<std::mutex> lock(mutex_);
    listeners_.emplace(next_token_, std::move(listener));
    return next_token_++;
  }

  void RemoveListener(Token token) {
    Listener removed;
    std::lock_guard<std::mutex> lock(mutex_);
    auto it = listeners_.find(token);
    if (it == listeners_.end()) return;
    removed = std::move(it->second);
    listeners_.erase(it);
  }

  State state() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return state_;
  }

  void SetState(State state) {
    std::unique_lock<std::mutex> lock(mutex_);
    if (Finished(state_)) return;
    state_ = state;
    if (Finished(state)) finished_.notify_all();
    for (const auto &[token, listener] : listeners_) {
      listener(name_, state);
    }
  }

  void Wait() const {
    std::unique_lock<std::mutex> lock(mutex_);
    finished_.wait(lock, [this] { return Finished(state_); });
  }

 private:
  static bool Finished(State state) {
    return state == State::kDone || state == State::kFailed;
  }

  const std::string name_;
  mutable std::mutex mutex_;
  mutable std::condition_variable finished_;
  State state_ = State::kQueued;
  std::map<Token, Listener> listeners_;
  Token next_token_ = 1;
};

}  // namespace jobs
