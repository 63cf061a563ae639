#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace world {

class Component;
class ScriptHost;

// What scripts hold on to. Methods answer nothing once the target is gone.
class ComponentRef {
 public:
  explicit ComponentRef(Component* c) : target_(c) {}
  void invalidate() { target_ = nullptr; }
  bool valid() const { return target_ != nullptr; }
  std::string kind() const;
  void enable(bool on);

 private:
  Component* target_;
};

class ScriptHost {
 public:
  std::shared_ptr<ComponentRef> wrap(Component* c) {
    auto it = live_.find(c);
    if (it != live_.end()) return it->second;
    auto ref = std::make_shared<ComponentRef>(c);
    live_.emplace(c, ref);
    return ref;
  }

  void invalidate(const Component* c) {
    auto it = live_.find(c);
    if (it != live_.end()) it->second->invalidate();
  }

  void forget(const Component* c) { live_.erase(c); }

 private:
  std::unordered_map<const Component*, std::shared_ptr<ComponentRef>> live_;
};

class Component {
 public:
  Component(ScriptHost& host, std::string kind) : host_(host), kind_(std::move(kind)) {}
  Component(const Component&) = delete;
  Component& operator=(const Component&) = delete;
  ~Component() {
    host_.invalidate(this);
    host_.forget(this);
  }

  const std::string& kind() const { return kind_; }
  bool enabled() const { return enabled_; }
  void setEnabled(bool on) { enabled_ = on; }

 private:
  ScriptHost& host_;
  std::string kind_;
  bool enabled_ = true;
};

std::string ComponentRef::kind() const { return target_ ? target_->kind() : std::string(); }
void ComponentRef::enable(bool on) {
  if (target_) target_->setEnabled(on);
}

class Entity {
 public:
  explicit Entity(ScriptHost& host) : host_(host) {}
  ~Entity() { clear(); }

  Component* add(std::string kind) {
    parts_.push_back(std::make_unique<Component>(host_, std::move(kind)));
    return parts_.back().get();
  }

  bool remove(Component* c) {
    for (auto it = parts_.begin(); it != parts_.end(); ++it) {
      if (it->get() != c) continue;
      auto gone = std::move(*it);
      parts_.erase(it);
      gone.reset();
      return true;
    }
    return false;
  }

  void clear() { parts_.clear(); }
  size_t size() const { return parts_.size(); }

 private:
  ScriptHost& host_;
  std::vector<std::unique_ptr<Component>> parts_;
};

}  // namespace world
