#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

class Channel {
 public:
  explicit Channel(std::function<void(const std::string&)> wire) : wire_(std::move(wire)) {}
  void SendAck(uint64_t tag) {
    wire_("ack " + std::to_string(tag));
    ++acks_;
  }
  void SendReject(uint64_t tag, bool requeue) {
    wire_("reject " + std::to_string(tag) + (requeue ? " requeue" : ""));
  }
  void SendCancel(const std::string& consumer) { wire_("cancel " + consumer); }

 private:
  std::function<void(const std::string&)> wire_;
  uint64_t acks_ = 0;
};

class Subscription {
 public:
  Subscription(std::shared_ptr<Channel> channel, std::string consumer)
      : channel_(std::move(channel)), consumer_(std::move(consumer)) {
    if (!channel_) throw std::invalid_argument("channel is null");
  }

  // A tag that is settled after Close() is ignored: the broker has requeued it already.
  void Acknowledge(uint64_t delivery_tag) {
    if (!channel_) return;
    channel_->SendAck(delivery_tag);
    settled_.push_back(delivery_tag);
  }

  void Reject(uint64_t delivery_tag, bool requeue) {
    if (!channel_) return;
    channel_->SendReject(delivery_tag, requeue);
    settled_.push_back(delivery_tag);
  }

  void Close() {
    if (!channel_) return;
    channel_->SendCancel(consumer_);
    channel_.reset();
  }

  std::size_t settled() const { return settled_.size(); }

 private:
  std::shared_ptr<Channel> channel_;
  std::string consumer_;
  std::vector<uint64_t> settled_;
};
