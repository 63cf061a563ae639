// One client connection of a line-oriented message broker.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iostream>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include <sys/socket.h>
#include <unistd.h>

namespace broker {

enum class Level { Error, Warn, Info, Debug, Trace };

class Logger {
 public:
  explicit Logger(Level level) : level_(level) {}

  bool enabled(Level level) const { return level <= level_; }
  void log(Level level, std::string_view text) {
    if (!enabled(level)) return;
    std::lock_guard<std::mutex> lock(mu_);
    std::clog << text << '\n';
  }

 private:
  Level level_;
  std::mutex mu_;
};

std::string hexDump(const char* data, size_t n) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (size_t i = 0; i < n; ++i) {
    const auto byte = static_cast<uint8_t>(data[i]);
    if (i > 0) text += i % 16 == 0 ? '\n' : ' ';
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

class Connection {
 public:
  using LineHandler = std::function<void(std::string_view line)>;

  Connection(int fd, Logger& log, LineHandler handler)
      : fd_(fd), log_(log), handler_(std::move(handler)) {}
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection() { ::close(fd_); }

  // False when the peer has gone.
  bool onReadable();

 private:
  void splitLines();

  int fd_;
  Logger& log_;
  LineHandler handler_;
  std::string pending_;
};

void Connection::splitLines() {
  size_t start = 0;
  for (size_t end; (end = pending_.find('\n', start)) != std::string::npos; start = end + 1) {
    handler_(std::string_view(pending_).substr(start, end - start));
  }
  pending_.erase(0, start);
}

bool Connection::onReadable() {
  char chunk[4096];
  const ssize_t n = ::recv(fd_, chunk, sizeof chunk, 0);
  if (n < 0) {
    log_.log(Level::Warn, "recv failed");
    return false;
  }
  if (n == 0) return false;

  if (log_.enabled(Level::Trace)) {
    const std::string dump = hexDump(chunk, static_cast<size_t>(n));
    log_.log(Level::Trace, dump);
  }

  pending_.append(chunk, static_cast<size_t>(n));
  splitLines();
  return true;
}

}  // namespace broker
