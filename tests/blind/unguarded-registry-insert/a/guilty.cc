#include <memory>
#include <stdexcept>
#include <unordered_map>
#include <utility>
#include <vector>

struct Body {
  double height = 0;
  double velocity = 0;
};

class World {
 public:
  Body* Spawn(double height) {
    bodies_.push_back(std::make_unique<Body>(Body{height, 0}));
    return bodies_.back().get();
  }
  bool Has(const Body* wanted) const {
    for (const auto& body : bodies_) {
      if (body.get() == wanted) return true;
    }
    return false;
  }
  void Step(double dt) {
    for (auto& body : bodies_) {
      body->velocity -= 9.81 * dt;
      body->height += body->velocity * dt;
    }
    std::erase_if(bodies_, [](const auto& body) { return body->height < 0; });
  }

 private:
  std::vector<std::unique_ptr<Body>> bodies_;
};

class BodyHandle {
 public:
  BodyHandle(const World& world, Body* body) : world_(world), body_(body) {}
  Body* get() const {
    if (!valid_ || !world_.Has(body_)) throw std::runtime_error("stale body handle");
    return body_;
  }
  void Invalidate() { valid_ = false; }
  bool valid() const { return valid_; }

 private:
  friend class HandleTable;
  const World& world_;
  Body* body_;
  bool valid_ = true;
};

class HandleTable {
 public:
  std::shared_ptr<BodyHandle> Spawn(World& world, double height) {
    return Wrap(world, world.Spawn(height));
  }

  void Release(const std::shared_ptr<BodyHandle>& handle) {
    if (!handle->valid()) return;
    handles_.erase(handle->body_);
    handle->Invalidate();
  }

 private:
  std::shared_ptr<BodyHandle> Wrap(const World& world, Body* body) {
    auto handle = std::make_shared<BodyHandle>(world, body);
    kept_.push_back(handle);
    handles_[body] = handle.get();
    return handle;
  }

  std::unordered_map<Body*, BodyHandle*> handles_;
  std::vector<std::shared_ptr<BodyHandle>> kept_;
};
