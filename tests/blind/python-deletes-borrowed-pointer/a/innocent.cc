#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace py = pybind11;

class Node {
 public:
  explicit Node(std::string name) : name_(std::move(name)) {}
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  const std::string& name() const { return name_; }
  void rename(std::string name) { name_ = std::move(name); }

  Node* add(std::string name) {
    children_.push_back(std::make_unique<Node>(std::move(name)));
    return children_.back().get();
  }
  std::size_t depth() const {
    std::size_t deepest = 0;
    for (const auto& c : children_) deepest = std::max(deepest, c->depth());
    return deepest + 1;
  }

 private:
  std::string name_;
  std::vector<std::unique_ptr<Node>> children_;
};

class Scene {
 public:
  Scene() : root_(std::make_unique<Node>("root")) {}
  Node* root() { return root_.get(); }
  std::size_t depth() const { return root_->depth(); }

 private:
  std::unique_ptr<Node> root_;
};

PYBIND11_MODULE(_scene, m) {
  py::class_<Node>(m, "Node")
      .def("name", [](const Node& n) { return n.name(); })
      .def("rename", &Node::rename)
      .def("add", &Node::add, py::return_value_policy::reference_internal)
      .def("depth", &Node::depth);

  py::class_<Scene>(m, "Scene")
      .def(py::init<>())
      .def("root", &Scene::root, py::return_value_policy::reference_internal)
      .def("depth", &Scene::depth);
}
