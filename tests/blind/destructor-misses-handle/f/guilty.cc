#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <functional>
#include <system_error>
#include <utility>

namespace rt {

// Waits for a periodic tick or for wake(), whichever comes first.
class EventLoop {
 public:
  using Handler = std::function<void()>;

  EventLoop() {
    epoll_ = epoll_create1(EPOLL_CLOEXEC);
    wakeup_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    timer_ = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    ready_ = epoll_ >= 0 && watch(wakeup_) && watch(timer_);
  }

  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  ~EventLoop() {
    close_if_open(wakeup_);
    close_if_open(epoll_);
  }

  bool ready() const { return ready_; }

  void on_tick(std::chrono::milliseconds period, Handler handler) {
    const auto ns = std::chrono::nanoseconds(period).count();
    itimerspec spec{};
    spec.it_interval.tv_sec = static_cast<time_t>(ns / 1000000000);
    spec.it_interval.tv_nsec = static_cast<long>(ns % 1000000000);
    spec.it_value = spec.it_interval;
    if (timerfd_settime(timer_, 0, &spec, nullptr) != 0) fail("timerfd_settime");
    tick_ = std::move(handler);
  }

  void on_wake(Handler handler) { woken_ = std::move(handler); }

  void wake() {
    if (eventfd_write(wakeup_, 1) != 0 && errno != EAGAIN) fail("eventfd_write");
  }

  void run_once() {
    epoll_event events[2];
    const int count = epoll_wait(epoll_, events, 2, -1);
    if (count < 0) {
      if (errno == EINTR) return;
      fail("epoll_wait");
    }
    for (int i = 0; i < count; ++i) {
      const int fd = events[i].data.fd;
      if (!drain(fd)) continue;
      const Handler handler = fd == timer_ ? tick_ : woken_;
      if (handler) handler();
    }
  }

 private:
  static void close_if_open(int fd) {
    if (fd >= 0) ::close(fd);
  }

  [[noreturn]] static void fail(const char* what) {
    throw std::system_error(errno, std::generic_category(), what);
  }

  static bool drain(int fd) {
    std::uint64_t value = 0;
    return ::read(fd, &value, sizeof value) == static_cast<ssize_t>(sizeof value);
  }

  bool watch(int fd) {
    if (fd < 0) return false;
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = fd;
    return epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &event) == 0;
  }

  int epoll_ = -1;
  int wakeup_ = -1;
  int timer_ = -1;
  bool ready_ = false;
  Handler tick_;
  Handler woken_;
};

}  // namespace rt
