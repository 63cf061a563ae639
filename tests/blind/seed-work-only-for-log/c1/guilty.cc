#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/log/log.h"
#include "absl/time/time.h"
#include "absl/types/span.h"

namespace culvert {

enum class Protocol : uint8_t { kTcp, kUdp, kIcmp, kOther };
inline constexpr size_t kNumProtocols = 4;

struct FlowKey {
  uint32_t source;
  uint32_t destination;
  uint16_t source_port;
  uint16_t destination_port;
  Protocol protocol;

  friend bool operator==(const FlowKey& a, const FlowKey& b) {
    return a.source == b.source && a.destination == b.destination &&
           a.source_port == b.source_port &&
           a.destination_port == b.destination_port &&
           a.protocol == b.protocol;
  }
  template <typename H>
  friend H AbslHashValue(H h, const FlowKey& k) {
    return H::combine(std::move(h), k.source, k.destination, k.source_port,
                      k.destination_port, k.protocol);
  }
};

struct Packet {
  FlowKey key;
  uint32_t bytes;
  absl::Time arrival;
};

struct Flow {
  uint64_t packets = 0;
  uint64_t bytes = 0;
  absl::Time last_seen = absl::InfinitePast();
};

// Per-worker table of active flows. Not thread-safe: each receive queue owns
// one and calls Ingest() once per burst from its polling loop.
class FlowTable {
 public:
  explicit FlowTable(absl::Duration idle_timeout)
      : idle_timeout_(idle_timeout) {}

  FlowTable(const FlowTable&) = delete;
  FlowTable& operator=(const FlowTable&) = delete;

  void Ingest(absl::Span<const Packet> burst);

  // Removes idle flows and returns how many there were.
  size_t Expire(absl::Time now);

  size_t size() const { return flows_.size(); }

 private:
  const absl::Duration idle_timeout_;
  absl::flat_hash_map<FlowKey, Flow> flows_;
};

void FlowTable::Ingest(absl::Span<const Packet> burst) {
  std::array<size_t, kNumProtocols> per_protocol{};
  size_t opened = 0;

  for (const Packet& packet : burst) {
    auto [it, inserted] = flows_.try_emplace(packet.key);
    Flow& flow = it->second;
    ++flow.packets;
    flow.bytes += packet.bytes;
    flow.last_seen = packet.arrival;

    ++per_protocol[static_cast<size_t>(packet.key.protocol)];
    if (inserted) ++opened;
  }

  VLOG(2) << "burst of " << burst.size() << ": tcp=" << per_protocol[0]
          << " udp=" << per_protocol[1] << " icmp=" << per_protocol[2]
          << " other=" << per_protocol[3] << " new flows=" << opened;
}

size_t FlowTable::Expire(absl::Time now) {
  size_t expired = 0;
  for (auto it = flows_.begin(); it != flows_.end();) {
    if (now - it->second.last_seen < idle_timeout_) {
      ++it;
      continue;
    }
    flows_.erase(it++);
    ++expired;
  }
  VLOG(1) << "expired " << expired << " flows, " << flows_.size() << " remain";
  return expired;
}

}  // namespace culvert
