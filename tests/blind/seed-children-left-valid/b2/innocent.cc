// _xmltree: elements of a native XML tree.
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace xml {
struct Node {
  std::string tag;
  std::string text;
  std::vector<std::unique_ptr<Node>> children;
};
}  // namespace xml

struct TreeState;

struct ElementObject {
  PyObject_HEAD
  std::shared_ptr<TreeState> *tree;
  xml::Node *node;
  bool valid;
};

struct TreeState {
  xml::Node root{"root", "", {}};
  std::unordered_map<const xml::Node *, ElementObject *> live;
};

static PyTypeObject ElementType = {PyVarObject_HEAD_INIT(nullptr, 0)};

#define REQUIRE_VALID(self) \
  if (!(self)->valid)       \
  return PyErr_Format(PyExc_ReferenceError, "element was removed")

static PyObject *wrapNode(const std::shared_ptr<TreeState> &tree, xml::Node *node) {
  auto it = tree->live.find(node);
  if (it != tree->live.end())
    return Py_NewRef(reinterpret_cast<PyObject *>(it->second));
  ElementObject *self = PyObject_New(ElementObject, &ElementType);
  if (!self)
    return nullptr;
  self->tree = new std::shared_ptr<TreeState>(tree);
  self->node = node;
  self->valid = true;
  tree->live.emplace(node, self);
  return reinterpret_cast<PyObject *>(self);
}

static void setInvalid(TreeState &tree, const xml::Node &node) {
  if (auto it = tree.live.find(&node); it != tree.live.end()) {
    it->second->valid = false;
    tree.live.erase(it);
  }
}

static void setSubtreeInvalid(TreeState &tree, const xml::Node &node) {
  setInvalid(tree, node);
  for (const auto &child : node.children)
    setSubtreeInvalid(tree, *child);
}

static void Element_dealloc(ElementObject *self) {
  if (self->valid)
    (*self->tree)->live.erase(self->node);
  delete self->tree;
  PyObject_Free(self);
}

static PyObject *Element_append(ElementObject *self, PyObject *arg) {
  REQUIRE_VALID(self);
  const char *tag = PyUnicode_AsUTF8(arg);
  if (!tag)
    return nullptr;
  auto &children = self->node->children;
  children.push_back(std::make_unique<xml::Node>(xml::Node{tag, "", {}}));
  return wrapNode(*self->tree, children.back().get());
}

static PyObject *Element_pop(ElementObject *self, PyObject *) {
  REQUIRE_VALID(self);
  if (self->node->children.empty())
    return PyErr_Format(PyExc_IndexError, "no children");
  setSubtreeInvalid(**self->tree, *self->node->children.back());
  self->node->children.pop_back();
  Py_RETURN_NONE;
}

static PyObject *Element_clear(ElementObject *self, PyObject *) {
  REQUIRE_VALID(self);
  self->node->text.clear();
  for (const auto &child : self->node->children)
    setSubtreeInvalid(**self->tree, *child);
  self->node->children.clear();
  Py_RETURN_NONE;
}

static PyObject *Element_tag(ElementObject *self, void *) {
  REQUIRE_VALID(self);
  return PyUnicode_FromString(self->node->tag.c_str());
}

static PyMethodDef Element_methods[] = {{"append", (PyCFunction)Element_append, METH_O},
                                        {"pop", (PyCFunction)Element_pop, METH_NOARGS},
                                        {"clear", (PyCFunction)Element_clear, METH_NOARGS}, {}};
static PyGetSetDef Element_getset[] = {{"tag", (getter)Element_tag}, {}};

PyObject *newTree() {
  auto tree = std::make_shared<TreeState>();
  return wrapNode(tree, &tree->root);
}

int initElementType() {
  ElementType.tp_name = "_xmltree.Element", ElementType.tp_basicsize = sizeof(ElementObject);
  ElementType.tp_dealloc = (destructor)Element_dealloc;
  ElementType.tp_methods = Element_methods, ElementType.tp_getset = Element_getset;
  return PyType_Ready(&ElementType);
}
