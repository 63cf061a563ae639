#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <string>
#include <unordered_map>

enum class Verbosity { kQuiet = 0, kInfo = 1, kTrace = 2 };

inline std::atomic<int> g_verbosity{static_cast<int>(Verbosity::kInfo)};

#define TRACE(...)                                                              \
  do {                                                                          \
    if (g_verbosity.load(std::memory_order_relaxed) >= int(Verbosity::kTrace))  \
      std::fprintf(stderr, __VA_ARGS__);                                        \
  } while (0)

struct Packet {
  uint32_t destination = 0;
  uint16_t length = 0;
};

class PacketRouter {
 public:
  void SetRoute(uint8_t prefix, int port, const std::string& name) {
    ports_[prefix].store(port, std::memory_order_release);
    std::lock_guard<std::mutex> hold(route_names_mutex_);
    route_names_[port] = name;
  }

  std::string RouteName(int port) {
    const std::lock_guard<std::mutex> lock(route_names_mutex_);
    auto it = route_names_.find(port);
    return it == route_names_.end() ? std::string() : it->second;
  }

  int Forward(const Packet& packet) {
    const uint8_t prefix = static_cast<uint8_t>(packet.destination >> 24);
    const int port = ports_[prefix].load(std::memory_order_acquire);
    if (port == 0) return -1;
    bytes_.fetch_add(packet.length, std::memory_order_relaxed);

    std::unique_lock<std::mutex> names(route_names_mutex_);
    TRACE("%08x -> port %d (%s)\n", packet.destination, port, route_names_[port].c_str());
    names.unlock();
    return port;
  }

  uint64_t bytes() const { return bytes_.load(std::memory_order_relaxed); }

 private:
  std::array<std::atomic<int>, 256> ports_{};
  std::atomic<uint64_t> bytes_{0};
  std::mutex route_names_mutex_;
  std::unordered_map<int, std::string> route_names_;
};
