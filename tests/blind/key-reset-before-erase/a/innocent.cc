#include <cstdint>
#include <functional>
#include <stdexcept>
#include <unordered_map>
#include <utility>

class Watcher;

class Reactor {
 public:
  void Dispatch(int fd, uint32_t events);

 private:
  friend class Watcher;
  std::unordered_map<int, Watcher*> watchers_;
};

class Watcher {
 public:
  using Callback = std::function<void(int fd, uint32_t events)>;

  Watcher(Reactor* reactor, int fd, Callback callback)
      : reactor_(reactor), fd_(fd), callback_(std::move(callback)) {
    if (!reactor_->watchers_.emplace(fd_, this).second) {
      throw std::invalid_argument("descriptor is watched already");
    }
  }
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;

  ~Watcher() { reactor_->watchers_.erase(fd_); }

  void Rebind(int fd) {
    if (fd == fd_) return;
    if (!reactor_->watchers_.emplace(fd, this).second) {
      throw std::invalid_argument("descriptor is watched already");
    }
    reactor_->watchers_.erase(fd_);
    fd_ = fd;
  }

  void Fire(uint32_t events) { callback_(fd_, events); }
  int fd() const { return fd_; }

 private:
  Reactor* reactor_;
  int fd_;
  Callback callback_;
};

void Reactor::Dispatch(int fd, uint32_t events) {
  auto it = watchers_.find(fd);
  if (it != watchers_.end()) it->second->Fire(events);
}
