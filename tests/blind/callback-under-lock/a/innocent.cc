#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

struct Event {
  std::string topic;
  std::string payload;
};

class EventBus {
 public:
  using Handler = std::function<void(const Event&)>;

  uint64_t Subscribe(const std::string& topic, Handler handler) {
    std::lock_guard<std::mutex> lock(mutex_);
    const uint64_t id = ++last_id_;
    handlers_[topic].emplace_back(id, std::move(handler));
    return id;
  }

  void Unsubscribe(const std::string& topic, uint64_t id) {
    std::lock_guard<std::mutex> lock(mutex_);
    auto it = handlers_.find(topic);
    if (it == handlers_.end()) return;
    auto& list = it->second;
    for (auto entry = list.begin(); entry != list.end(); ++entry) {
      if (entry->first == id) {
        list.erase(entry);
        break;
      }
    }
    if (list.empty()) handlers_.erase(it);
  }

  std::size_t Publish(const Event& event) {
    std::vector<std::pair<uint64_t, Handler>> targets;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      auto it = handlers_.find(event.topic);
      if (it == handlers_.end()) return 0;
      targets = it->second;
    }
    for (auto& [id, handler] : targets) {
      handler(event);
    }
    return targets.size();
  }

 private:
  std::mutex mutex_;
  uint64_t last_id_ = 0;
  std::map<std::string, std::vector<std::pair<uint64_t, Handler>>> handlers_;
};
