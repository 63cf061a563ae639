#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

namespace chat {

using Clock = std::chrono::steady_clock;

struct Session {
  std::string nick;
  Clock::time_point last_seen;
};

using SessionMap = std::unordered_map<uint64_t, std::shared_ptr<Session>>;

// Tells the presence service who is still here.
class PresenceReporter {
 public:
  PresenceReporter(std::mutex* mutex, const SessionMap* sessions)
      : mutex_(mutex), sessions_(sessions) {}

  std::vector<std::string> Nicks() const {
    std::lock_guard<std::mutex> lock(*mutex_);
    std::vector<std::string> out;
    out.reserve(sessions_->size());
    for (const auto& [id, session] : *sessions_) out.push_back(session->nick);
    return out;
  }

 private:
  std::mutex* mutex_;
  const SessionMap* sessions_;
};

class Hub {
 public:
  Hub() : reporter_(&mutex_, &sessions_) {}
  ~Hub() { Stop(); }

  uint64_t Join(std::string nick) {
    std::lock_guard<std::mutex> lock(mutex_);
    const uint64_t id = ++next_id_;
    sessions_.emplace(id, std::make_shared<Session>(Session{std::move(nick), Clock::now()}));
    return id;
  }

  void Leave(uint64_t id) {
    std::lock_guard<std::mutex> lock(mutex_);
    sessions_.erase(id);
  }

  void Start() {
    worker_ = std::jthread([this](std::stop_token stop) {
      while (!stop.stop_requested()) {
        Publish(reporter_.Nicks());
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
      }
    });
  }

  void Stop() {
    worker_.request_stop();
    if (worker_.joinable()) worker_.join();
  }

  std::vector<std::string> published() const {
    std::lock_guard<std::mutex> lock(published_mutex_);
    return published_;
  }

 private:
  void Publish(std::vector<std::string> nicks) {
    std::lock_guard<std::mutex> lock(published_mutex_);
    published_ = std::move(nicks);
  }

  std::mutex mutex_;
  SessionMap sessions_;  // guarded by mutex_
  uint64_t next_id_ = 0;  // guarded by mutex_
  mutable std::mutex published_mutex_;
  std::vector<std::string> published_;
  PresenceReporter reporter_;
  std::jthread worker_;
};

}  // namespace chat
