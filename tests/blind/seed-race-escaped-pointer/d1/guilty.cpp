//===- RouteTable.cpp - Forwarding decisions for the overlay router -------===//

#include <cassert>
#include <cstdint>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace overlay {

struct Prefix {
  uint32_t Address;
  unsigned Length;

  uint32_t mask() const { return Length == 0 ? 0 : ~uint32_t(0) << (32 - Length); }
  bool covers(uint32_t Dest) const { return (Dest & mask()) == (Address & mask()); }
  bool operator<(const Prefix &RHS) const {
    // Longest prefix first.
    if (Length != RHS.Length)
      return Length > RHS.Length;
    return Address < RHS.Address;
  }
};

struct NextHop {
  std::string Peer;
  uint32_t Metric;
};

using RouteMap = std::map<Prefix, NextHop>;

/// Routes as learned by the protocol thread and consulted by the workers.
class RouteTable {
  mutable std::mutex Lock;
  RouteMap Map;
  uint64_t Generation = 0;

public:
  void update(const Prefix &P, NextHop Hop) {
    assert(P.Length <= 32 && "not an IPv4 prefix");
    std::lock_guard<std::mutex> Guard(Lock);
    auto It = Map.find(P);
    if (It != Map.end() && It->second.Metric <= Hop.Metric &&
        It->second.Peer != Hop.Peer)
      return;
    Map[P] = std::move(Hop);
    ++Generation;
  }

  void withdrawPeer(const std::string &Peer) {
    std::lock_guard<std::mutex> Guard(Lock);
    for (auto It = Map.begin(); It != Map.end();)
      It = It->second.Peer == Peer ? Map.erase(It) : std::next(It);
    ++Generation;
  }

  uint64_t generation() const {
    std::lock_guard<std::mutex> Guard(Lock);
    return Generation;
  }

  const RouteMap &routes() const {
    std::lock_guard<std::mutex> Guard(Lock);
    return Map;
  }
};

struct Packet {
  uint32_t Dest;
  std::vector<uint8_t> Payload;
};

class PeerLink {
public:
  virtual ~PeerLink() = default;
  virtual bool transmit(const std::string &Peer, const Packet &P) = 0;
};

/// One per worker thread.
class Forwarder {
  const RouteTable &Table;
  PeerLink &Link;
  uint64_t Dropped = 0;

  static std::optional<std::string> lookup(const RouteMap &Routes, uint32_t Dest) {
    for (const auto &Entry : Routes)
      if (Entry.first.covers(Dest))
        return Entry.second.Peer;
    return std::nullopt;
  }

public:
  Forwarder(const RouteTable &Table, PeerLink &Link) : Table(Table), Link(Link) {}

  uint64_t dropped() const { return Dropped; }

  void forward(const std::vector<Packet> &Batch) {
    const RouteMap &Routes = Table.routes();
    for (const Packet &P : Batch) {
      std::optional<std::string> Peer = lookup(Routes, P.Dest);
      if (!Peer || !Link.transmit(*Peer, P))
        ++Dropped;
    }
  }
};

} // namespace overlay
