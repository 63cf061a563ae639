#pragma once

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace sim {  // libsim

struct Body {
  double x, y;
  void Push(double fx, double fy);
};

class Space {
 public:
  Space();
  ~Space();
  Body* Create(double mass);
  void Destroy(Body* body);
  std::vector<std::pair<Body*, Body*>> Step(double seconds);
};

}  // namespace sim

namespace warehouse {

// What a script sees of a simulated body.
struct BodyView {
  sim::Body* body;
  std::string name;
  int group;
  sim::Body& Get() const {
    if (body == nullptr) throw std::runtime_error("body '" + name + "' was removed");
    return *body;
  }
};

using BodyViewPtr = std::shared_ptr<BodyView>;
using ContactFn = std::function<void(BodyViewPtr, BodyViewPtr)>;

class World {
 public:
  World() = default;
  World(const World&) = delete;
  ~World();

  BodyViewPtr Add(const std::string& name, int group, double mass);
  void Remove(const std::string& name);
  int RemoveGroup(int group);

  // Calls `on_contact` for each pair of bodies that touched in this step.
  void Step(double seconds, const ContactFn& on_contact);

 private:
  BodyViewPtr ViewOf(sim::Body* body);

  sim::Space space_;
  std::unordered_map<std::string, BodyViewPtr> by_name_;
  std::unordered_map<sim::Body*, BodyViewPtr> by_body_;
};

}  // namespace warehouse
