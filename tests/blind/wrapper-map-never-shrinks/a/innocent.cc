#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace py = pybind11;

struct Entity {
  uint32_t kind = 0;
  float x = 0, y = 0;
};

class Level {
 public:
  using Hook = std::function<void(const Entity&)>;

  Entity* spawn(uint32_t kind) {
    entities_.push_back(std::make_unique<Entity>());
    entities_.back()->kind = kind;
    return entities_.back().get();
  }
  void on_destroy(Hook hook) { hooks_.push_back(std::move(hook)); }
  void sweep(float limit) {
    for (std::size_t i = entities_.size(); i-- > 0;) {
      if (entities_[i]->y >= limit) continue;
      for (auto& hook : hooks_) hook(*entities_[i]);
      entities_.erase(entities_.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }

 private:
  std::vector<std::unique_ptr<Entity>> entities_;
  std::vector<Hook> hooks_;
};

static std::unordered_map<const Entity*, py::object>& wrappers() {
  static auto* map = new std::unordered_map<const Entity*, py::object>();
  return *map;
}

static Level& level() {
  static Level* instance = new Level();
  return *instance;
}

static py::object wrapper_for(Entity* entity) {
  auto found = wrappers().find(entity);
  if (found != wrappers().end()) return found->second;
  py::object actor = py::module_::import("game.entity").attr("Actor")(entity->kind);
  wrappers().emplace(entity, actor);
  return actor;
}

static uint64_t destroyed = 0;

PYBIND11_MODULE(_game, m) {
  level().on_destroy([](const Entity& entity) {
    wrappers().erase(&entity);
    ++destroyed;
  });
  m.def("spawn", [](uint32_t kind) { return wrapper_for(level().spawn(kind)); });
  m.def("sweep", [](float limit) { level().sweep(limit); });
  m.def("destroyed", [] { return destroyed; });
}
