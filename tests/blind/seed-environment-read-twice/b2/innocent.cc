// Edge proxy: accepting connections and routing of requests.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace edge {

// EDGE_TRACE=1 turns on tracing in all parts of the proxy.
bool TraceRequested() {
  static const bool on = [] {
    const char* flag = std::getenv("EDGE_TRACE");
    return flag && std::strcmp(flag, "1") == 0;
  }();
  return on;
}

class Listener {
 public:
  explicit Listener(uint16_t port);
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  ~Listener() { ::close(fd_); }

  int accept() const;

 private:
  int fd_;
  bool trace_;
};

Listener::Listener(uint16_t port)
    : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)),
      trace_(TraceRequested()) {
  if (fd_ < 0) throw std::runtime_error("socket");
  sockaddr_in addr{};
  addr.sin_family = AF_INET;
  addr.sin_port = htons(port);
  addr.sin_addr.s_addr = htonl(INADDR_ANY);
  if (::bind(fd_, reinterpret_cast<sockaddr*>(&addr), sizeof addr) != 0 ||
      ::listen(fd_, 128) != 0) {
    ::close(fd_);
    throw std::runtime_error("bind");
  }
}

int Listener::accept() const {
  sockaddr_in peer{};
  socklen_t len = sizeof peer;
  const int conn = ::accept(fd_, reinterpret_cast<sockaddr*>(&peer), &len);
  if (trace_ && conn >= 0) {
    char text[INET_ADDRSTRLEN];
    ::inet_ntop(AF_INET, &peer.sin_addr, text, sizeof text);
    std::fprintf(stderr, "accept %d from %s\n", conn, text);
  }
  return conn;
}

class Router {
 public:
  using Handler = std::function<std::string(const std::string& path)>;

  void add(std::string prefix, Handler handler) {
    routes_[std::move(prefix)] = std::move(handler);
  }
  std::string dispatch(const std::string& path) const;

 private:
  bool trace_ = TraceRequested();
  std::map<std::string, Handler, std::greater<>> routes_;
};

std::string Router::dispatch(const std::string& path) const {
  for (const auto& [prefix, handler] : routes_) {
    if (path.compare(0, prefix.size(), prefix) != 0) continue;
    if (trace_) std::fprintf(stderr, "route %s -> %s\n", path.c_str(), prefix.c_str());
    return handler(path);
  }
  return "404";
}

}  // namespace edge
