// Per-connection user data of the telemetry server.
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <ctime>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>

namespace telemetry {

struct Session {
  int fd = -1;
  std::string client;
  std::time_t last_seen = 0;
  uint64_t bytes = 0;
};

struct SessionCloser {
  void operator()(Session* session) const {
    ::shutdown(session->fd, SHUT_RDWR);
    ::close(session->fd);
    delete session;
  }
};

using SessionHandle = std::unique_ptr<Session, SessionCloser>;
using SessionMap = std::unordered_map<int, SessionHandle>;

class SessionTable {
 public:
  void Add(int fd, std::string client) {
    sessions_[fd] =
        SessionHandle(new Session{fd, std::move(client), std::time(nullptr)});
  }

  bool OnData(int fd, size_t bytes) {
    Session* session = Find(fd);
    if (session == nullptr) return false;
    session->bytes += bytes;
    session->last_seen = std::time(nullptr);
    return true;
  }

  std::string Describe(int fd) const {
    const Session* session = Find(fd);
    if (session == nullptr) return "<closed>";
    return session->client + ": " + std::to_string(session->bytes) + " bytes";
  }

  void Remove(int fd) { sessions_.erase(fd); }

  size_t size() const { return sessions_.size(); }

 private:
  Session* Find(int fd) const {
    const auto it = sessions_.find(fd);
    return it == sessions_.end() ? nullptr
                                 : static_cast<Session*>(it->second.get());
  }

  SessionMap sessions_;
};

}  // namespace telemetry
