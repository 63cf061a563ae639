#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <stdexcept>

namespace p2p {

// Connection state, owned by the transport.
struct Peer {
  std::string address;
  uint64_t bytes_in = 0;
  uint64_t bytes_out = 0;
};

class PeerHandle;

class Swarm {
 public:
  PeerHandle* HandleOf(const Peer* peer) const {
    auto it = handles_.find(peer);
    return it == handles_.end() ? nullptr : it->second;
  }

  size_t handle_count() const { return handles_.size(); }

  // Called by the transport when bytes have arrived.
  void OnReceive(Peer* peer, uint64_t n);

 private:
  friend class PeerHandle;
  std::unordered_map<const Peer*, PeerHandle*> handles_;
};

// What the application holds of a peer. The swarm knows at most one for each.
class PeerHandle {
 public:
  PeerHandle(Swarm* swarm, Peer* peer) : swarm_(swarm), peer_(peer) {
    if (!swarm_->handles_.emplace(peer_, this).second) {
      throw std::logic_error("peer already has a handle: " + peer_->address);
    }
  }

  ~PeerHandle() { swarm_->handles_.erase(peer_); }

  PeerHandle(const PeerHandle&) = delete;
  PeerHandle& operator=(const PeerHandle&) = delete;

  const std::string& address() const { return peer_->address; }
  uint64_t traffic() const { return peer_->bytes_in + peer_->bytes_out; }

  void SetBudget(uint64_t bytes) { budget_ = bytes; }
  bool exhausted() const { return used_ >= budget_; }

 private:
  friend class Swarm;
  void Charge(uint64_t n) { used_ += n; }

  Swarm* swarm_;
  Peer* peer_;
  uint64_t budget_ = UINT64_MAX;
  uint64_t used_ = 0;
};

void Swarm::OnReceive(Peer* peer, uint64_t n) {
  peer->bytes_in += n;
  if (PeerHandle* handle = HandleOf(peer)) handle->Charge(n);
}

std::unique_ptr<PeerHandle> Attach(Swarm& swarm, Peer& peer, uint64_t budget) {
  auto handle = std::make_unique<PeerHandle>(&swarm, &peer);
  handle->SetBudget(budget);
  return handle;
}

}  // namespace p2p
