// Python bindings of the scene graph: scenes and their nodes.
#include <cassert>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <unordered_map>

#include <pybind11/pybind11.h>

namespace py = pybind11;

extern "C" {
struct sg_scene;
struct sg_node;
sg_scene *sg_scene_create(void);
void sg_scene_destroy(sg_scene *scene);
// Frees all nodes which hang below no root (the editor calls this, too).
void sg_scene_collect(sg_scene *scene);
// The node with this id, or NULL. Ids are never given out twice.
sg_node *sg_scene_lookup(sg_scene *scene, uint64_t id);
sg_node *sg_scene_find(sg_scene *scene, const char *name);
sg_node *sg_node_create(sg_scene *scene, const char *name);
void sg_node_free(sg_node *node);
uint64_t sg_node_id(const sg_node *node);
const char *sg_node_name(const sg_node *node);
void sg_node_attach(sg_node *parent, sg_node *child);
}

class PyNode;

class PyScene {
public:
  PyScene() : scene(sg_scene_create()) {}
  ~PyScene() { sg_scene_destroy(scene); }
  PyScene(const PyScene &) = delete;
  sg_scene *get() const { return scene; }

  std::unordered_map<sg_node *, PyNode *> liveNodes;

private:
  sg_scene *scene;
};
using PySceneRef = std::shared_ptr<PyScene>;

class PyNode {
public:
  ~PyNode() {
    if (node)
      scene->liveNodes.erase(node);
  }

  static py::object create(const PySceneRef &scene, const std::string &name) {
    return createInstance(scene, sg_node_create(scene->get(), name.c_str()));
  }

  static py::object forNode(const PySceneRef &scene, sg_node *node) {
    auto it = scene->liveNodes.find(node);
    if (it != scene->liveNodes.end() && it->second->isAlive())
      return py::cast(it->second, py::return_value_policy::reference);
    return createInstance(scene, node);
  }

  sg_node *get() const {
    if (!isAlive())
      throw std::runtime_error("the node has been deleted");
    return node;
  }

  std::string name() const { return sg_node_name(get()); }
  void attach(PyNode &child) { sg_node_attach(get(), child.get()); }
  void erase() {
    sg_node *doomed = get();
    detach();
    sg_node_free(doomed);
  }

  py::object userData = py::none();

private:
  PyNode(PySceneRef s, sg_node *n) : scene(std::move(s)), node(n), id(sg_node_id(n)) {}

  static py::object createInstance(const PySceneRef &scene, sg_node *node) {
    auto owned = std::unique_ptr<PyNode>(new PyNode(scene, node));
    auto &live = scene->liveNodes;
    if (auto old = live.find(node); old != live.end())
      old->second->detach();
    live[node] = owned.get();
    return py::cast(std::move(owned));
  }

  bool isAlive() const { return node && sg_scene_lookup(scene->get(), id) == node; }
  void detach() {
    scene->liveNodes.erase(node);
    node = nullptr;
  }

  PySceneRef scene;
  sg_node *node;
  uint64_t id;
};

PYBIND11_MODULE(scenegraph, m) {
  py::class_<PyScene, PySceneRef>(m, "Scene")
      .def(py::init<>())
      .def("collect", [](PyScene &self) { sg_scene_collect(self.get()); })
      .def("create", &PyNode::create)
      .def("find", [](const PySceneRef &self, const std::string &name) -> py::object {
        sg_node *node = sg_scene_find(self->get(), name.c_str());
        return node ? PyNode::forNode(self, node) : py::none();
      });
  py::class_<PyNode>(m, "Node")
      .def_property_readonly("name", &PyNode::name)
      .def("attach", &PyNode::attach)
      .def("erase", &PyNode::erase)
      .def_readwrite("user_data", &PyNode::userData);
}
