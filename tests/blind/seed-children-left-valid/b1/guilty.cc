// Scripting access to the entities of the game engine.
#include <memory>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

namespace py = pybind11;

namespace engine {

class Entity {
public:
  explicit Entity(std::string name, Entity *parent = nullptr)
      : name(std::move(name)), parent(parent) {}

  Entity &spawn(std::string childName) {
    return *children.emplace_back(std::make_unique<Entity>(std::move(childName), this));
  }
  void remove(Entity &child) {
    std::erase_if(children, [&](const auto &c) { return c.get() == &child; });
  }
  template <class Fn>
  void visit(Fn &&fn) {
    fn(*this);
    for (auto &child : children)
      child->visit(fn);
  }

  std::string name;
  Entity *const parent;
  float health = 100;
  std::vector<std::unique_ptr<Entity>> children;
};

}  // namespace engine

class PyEntity;
using PyEntityRef = std::shared_ptr<PyEntity>;

struct PyWorld : std::enable_shared_from_this<PyWorld> {
  PyEntityRef wrap(engine::Entity &entity);
  void forget(engine::Entity &entity);

  engine::Entity root{"world"};
  std::unordered_map<engine::Entity *, std::weak_ptr<PyEntity>> live;
};

class PyEntity {
public:
  PyEntity(std::shared_ptr<PyWorld> world, engine::Entity &entity)
      : world(std::move(world)), entity(&entity) {}
  ~PyEntity() {
    if (valid)
      world->live.erase(entity);
  }

  PyEntityRef spawn(std::string name) { return world->wrap(get().spawn(std::move(name))); }
  std::vector<PyEntityRef> children() {
    std::vector<PyEntityRef> result;
    for (auto &child : get().children)
      result.push_back(world->wrap(*child));
    return result;
  }
  void destroy() {
    engine::Entity &doomed = get();
    engine::Entity *parent = doomed.parent;
    if (!parent)
      throw py::value_error("the world itself cannot be destroyed");
    world->forget(doomed);
    parent->remove(doomed);
  }
  std::string name() const { return get().name; }
  float health() const { return get().health; }
  void hit(float damage) { get().health -= damage; }
  void setInvalid() { valid = false; }

private:
  engine::Entity &get() const {
    if (!valid)
      throw std::runtime_error("the entity has been destroyed");
    return *entity;
  }

  std::shared_ptr<PyWorld> world;
  engine::Entity *entity;
  bool valid = true;
};

PyEntityRef PyWorld::wrap(engine::Entity &entity) {
  auto &slot = live[&entity];
  if (auto known = slot.lock())
    return known;
  auto fresh = std::make_shared<PyEntity>(shared_from_this(), entity);
  slot = fresh;
  return fresh;
}

void PyWorld::forget(engine::Entity &entity) {
  auto found = live.extract(&entity);
  if (auto wrapper = found ? found.mapped().lock() : nullptr)
    wrapper->setInvalid();
}

PYBIND11_MODULE(world, m) {
  py::class_<PyWorld, std::shared_ptr<PyWorld>>(m, "World")
      .def(py::init<>())
      .def_property_readonly("root", [](PyWorld &self) { return self.wrap(self.root); });
  py::class_<PyEntity, PyEntityRef>(m, "Entity")
      .def("spawn", &PyEntity::spawn)
      .def("children", &PyEntity::children)
      .def("destroy", &PyEntity::destroy)
      .def("hit", &PyEntity::hit)
      .def_property_readonly("health", &PyEntity::health)
      .def_property_readonly("name", &PyEntity::name);
}
