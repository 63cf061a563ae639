// nanobind module for the DOM.
#include <cassert>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

namespace nb = nanobind;

namespace dom {

struct Node {
  std::string text;
  std::vector<std::shared_ptr<Node>> children;
};

// Nodes come from a free list: a returned block is the next one handed out.
class Pool {
public:
  ~Pool() {
    for (void *block : free_)
      ::operator delete(block);
  }
  std::shared_ptr<Node> make(std::string text) {
    void *block = free_.empty() ? ::operator new(sizeof(Node)) : free_.back();
    if (!free_.empty())
      free_.pop_back();
    auto recycle = [this](Node *n) { n->~Node(), free_.push_back(n); };
    return {new (block) Node{std::move(text), {}}, recycle};
  }

private:
  std::vector<void *> free_;
};

inline void normalize(Node &node) {
  std::erase_if(node.children, [](auto &c) { return c->text.empty() && c->children.empty(); });
  for (auto &child : node.children)
    normalize(*child);
}

}  // namespace dom

class NodeRef;

struct DocumentState {
  dom::Pool pool;
  std::shared_ptr<dom::Node> root = pool.make("root");
  std::unordered_map<const dom::Node *, NodeRef *> wrappers;
};
using Doc = std::shared_ptr<DocumentState>;

class NodeRef {
public:
  NodeRef(Doc doc, const std::shared_ptr<dom::Node> &node)
      : doc_(std::move(doc)), node_(node), key_(node.get()) {}
  ~NodeRef() {
    if (key_)
      doc_->wrappers.erase(key_);
  }

  std::shared_ptr<dom::Node> lock() const {
    if (auto node = node_.lock())
      return node;
    throw nb::value_error("node is no longer part of a document");
  }
  bool refersTo(const dom::Node *node) const { return node_.lock().get() == node; }
  void disown() { key_ = nullptr; }
  nb::object append(std::string text) {
    auto self = lock();
    return wrapNew(doc_, self->children.emplace_back(doc_->pool.make(std::move(text))));
  }
  nb::object child(size_t i) {
    auto node = lock()->children.at(i);
    auto hit = doc_->wrappers.find(node.get());
    if (hit != doc_->wrappers.end() && hit->second->refersTo(node.get()))
      return nb::cast(hit->second, nb::rv_policy::none);
    return wrapNew(doc_, node);
  }

  static nb::object wrapNew(const Doc &doc, const std::shared_ptr<dom::Node> &node) {
    auto *ref = new NodeRef(doc, node);
    nb::object out = nb::cast(ref, nb::rv_policy::take_ownership);
    auto [slot, inserted] = doc->wrappers.try_emplace(node.get(), ref);
    if (!inserted)
      std::exchange(slot->second, ref)->disown();
    return out;
  }

private:
  Doc doc_;
  std::weak_ptr<dom::Node> node_;
  const dom::Node *key_;
};

NB_MODULE(_dom, m) {
  nb::class_<NodeRef>(m, "Node")
      .def("append", &NodeRef::append)
      .def("child", &NodeRef::child)
      .def("normalize", [](NodeRef &self) { dom::normalize(*self.lock()); })
      .def_prop_ro("text", [](NodeRef &self) { return self.lock()->text; });
  m.def("document", [] {
    auto doc = std::make_shared<DocumentState>();
    return NodeRef::wrapNew(doc, doc->root);
  });
}
