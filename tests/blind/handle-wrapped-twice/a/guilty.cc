#include <pybind11/pybind11.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace py = pybind11;

struct Node {
  std::string tag;
  Node* parent = nullptr;
  std::vector<std::unique_ptr<Node>> children;
};

class PyNode;

struct Outline {
  Node root{"outline", nullptr, {}};
};

class PyNode {
 public:
  PyNode(std::shared_ptr<Outline> outline, Node* node)
      : outline_(std::move(outline)), node_(node) {}
  PyNode(const PyNode&) = delete;
  PyNode& operator=(const PyNode&) = delete;

  std::shared_ptr<PyNode> append(const std::string& tag) {
    Node* parent = get();
    parent->children.push_back(std::make_unique<Node>());
    Node* child = parent->children.back().get();
    child->tag = tag;
    child->parent = parent;
    return std::make_shared<PyNode>(outline_, child);
  }

  std::shared_ptr<PyNode> parent() const {
    Node* node = get();
    if (!node->parent) return nullptr;
    return std::make_shared<PyNode>(outline_, node->parent);
  }

  std::string tag() const { return get()->tag; }

  void remove() {
    Node* node = get();
    if (!node->parent || !node->children.empty()) throw py::value_error("not a leaf");
    removed_ = true;
    auto& list = node->parent->children;
    list.erase(std::find_if(list.begin(), list.end(),
                            [node](const auto& c) { return c.get() == node; }));
  }

 private:
  Node* get() const {
    if (removed_) throw py::value_error("node was removed");
    return node_;
  }

  std::shared_ptr<Outline> outline_;
  Node* node_;
  bool removed_ = false;
};

PYBIND11_MODULE(_outline, m) {
  py::class_<PyNode, std::shared_ptr<PyNode>>(m, "Node")
      .def(py::init([] {
        auto outline = std::make_shared<Outline>();
        return std::make_shared<PyNode>(outline, &outline->root);
      }))
      .def("append", &PyNode::append, py::arg("tag"))
      .def("parent", &PyNode::parent)
      .def("remove", &PyNode::remove)
      .def_property_readonly("tag", &PyNode::tag);
}
