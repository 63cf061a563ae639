#include <sys/socket.h>
#include <netinet/in.h>
#include <unistd.h>

#include <cstdint>
#include <map>
#include <optional>
#include <shared_mutex>
#include <mutex>
#include <string>

namespace {

bool ProbeBind(uint16_t port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return false;
  sockaddr_in addr{};
  addr.sin_family = AF_INET;
  addr.sin_port = htons(port);
  addr.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const bool ok = ::bind(fd, reinterpret_cast<const sockaddr*>(&addr), sizeof addr) == 0;
  ::close(fd);
  return ok;
}

}  // namespace

class PortAllocator {
 public:
  PortAllocator(uint16_t first, uint16_t last) : first_(first), last_(last) {}

  std::optional<uint16_t> Reserve(const std::string& owner) {
    for (uint32_t port = first_; port <= last_; ++port) {
      if (!IsFree(static_cast<uint16_t>(port))) continue;
      if (!ProbeBind(static_cast<uint16_t>(port))) continue;
      if (!Claim(port, owner)) continue;
      return static_cast<uint16_t>(port);
    }
    return std::nullopt;
  }

  void Release(uint16_t port) {
    std::unique_lock<std::shared_mutex> guard(lock_);
    owners_.erase(port);
  }

 private:
  bool IsFree(uint16_t port) const {
    std::shared_lock<std::shared_mutex> guard(lock_);
    return owners_.find(port) == owners_.end();
  }

  bool Claim(uint16_t port, const std::string& owner) {
    std::unique_lock<std::shared_mutex> guard(lock_);
    return owners_.emplace(port, owner).second;
  }

  const uint16_t first_;
  const uint16_t last_;
  mutable std::shared_mutex lock_;
  std::map<uint16_t, std::string> owners_;
};
