#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace broker {

struct Message {
  std::string topic;
  std::string body;
  uint64_t offset = 0;
};

class Sink {
 public:
  virtual ~Sink() = default;
  virtual void Deliver(const Message& m) = 0;
};

class QueueSink : public Sink {
 public:
  explicit QueueSink(size_t limit) : limit_(limit) {}

  void Deliver(const Message& m) override {
    if (queue_.size() == limit_) {
      ++dropped_;
      return;
    }
    queue_.push_back(m);
  }

  std::vector<Message> Drain() { return std::exchange(queue_, {}); }
  uint64_t dropped() const { return dropped_; }

 private:
  size_t limit_;
  uint64_t dropped_ = 0;
  std::vector<Message> queue_;
};

class Broker {
 public:
  void Subscribe(const std::string& client, size_t limit) {
    auto& slot = sinks_[client];
    if (!slot) slot = std::make_unique<QueueSink>(limit);
  }

  void Unsubscribe(const std::string& client) { sinks_.erase(client); }

  void Publish(std::string topic, std::string body) {
    Message m{std::move(topic), std::move(body), ++offset_};
    for (auto& [client, sink] : sinks_) sink->Deliver(m);
  }

  std::vector<Message> Poll(const std::string& client) {
    auto it = sinks_.find(client);
    if (it == sinks_.end()) return {};
    auto* queue = static_cast<QueueSink*>(it->second.get());
    return queue->Drain();
  }

  uint64_t offset() const { return offset_; }
  size_t subscribers() const { return sinks_.size(); }

 private:
  std::map<std::string, std::unique_ptr<QueueSink>> sinks_;
  uint64_t offset_ = 0;
};

}  // namespace broker
