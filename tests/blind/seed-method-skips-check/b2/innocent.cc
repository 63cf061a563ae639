// DOM nodes for Python, bound with nanobind.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

namespace nb = nanobind;

namespace dom {

class Element {
public:
  explicit Element(std::string tag) : tag_(std::move(tag)) {}
  const std::string &tag() const { return tag_; }
  const std::string &id() const { return id_; }
  void setId(std::string id) { id_ = std::move(id); }
  size_t childCount() const { return children_.size(); }
  Element *child(size_t i) const { return children_.at(i).get(); }
  Element *append(std::string tag) {
    return children_.emplace_back(std::make_unique<Element>(std::move(tag))).get();
  }

private:
  std::string tag_, id_;
  std::vector<std::unique_ptr<Element>> children_;
};

// A page; load() throws the old tree away.
struct Page {
  std::unique_ptr<Element> root = std::make_unique<Element>("html");
  unsigned epoch = 0;

  void load() {
    root = std::make_unique<Element>("html");
    ++epoch;
  }
};

}  // namespace dom

// An element of a page, good until the page is loaded anew.
class ElementProxy {
public:
  ElementProxy(std::shared_ptr<dom::Page> page, dom::Element *element)
      : page_(std::move(page)), epoch_(page_->epoch), element_(element) {}

  void checkValid() const {
    if (epoch_ != page_->epoch)
      throw nb::value_error("the page has been loaded anew");
  }
  dom::Element *operator->() const {
    checkValid();
    return element_;
  }
  dom::Element *raw() const { return element_; }
  ElementProxy wrap(dom::Element *element) const { return {page_, element}; }

private:
  std::shared_ptr<dom::Page> page_;
  unsigned epoch_;
  dom::Element *element_;
};

class ChildIterator {
public:
  explicit ChildIterator(ElementProxy parent) : parent_(std::move(parent)) {}

  ElementProxy next() {
    if (index_ >= parent_->childCount())
      throw nb::stop_iteration();
    return parent_.wrap(parent_->child(index_++));
  }

private:
  ElementProxy parent_;
  size_t index_ = 0;
};

void bindElements(nb::module_ &m) {
  nb::class_<ChildIterator>(m, "ChildIterator")
      .def("__iter__", [](nb::object self) { return self; })
      .def("__next__", &ChildIterator::next);

  nb::class_<ElementProxy>(m, "Element")
      .def("__eq__",
           [](const ElementProxy &a, const ElementProxy &b) { return a.raw() == b.raw(); })
      .def("__len__", [](const ElementProxy &self) { return self->childCount(); })
      .def("__iter__", [](const ElementProxy &self) { return ChildIterator(self); })
      .def("__getitem__",
           [](const ElementProxy &self, size_t i) {
             self.checkValid();
             const dom::Element *element = self.raw();
             if (i >= element->childCount())
               throw nb::index_error();
             return self.wrap(element->child(i));
           })
      .def("append",
           [](const ElementProxy &self, std::string tag) {
             return self.wrap(self->append(std::move(tag)));
           })
      .def_prop_ro("tag", [](const ElementProxy &self) { return self->tag(); })
      .def_prop_rw(
          "id", [](const ElementProxy &self) { return self->id(); },
          [](const ElementProxy &self, std::string id) { self->setId(std::move(id)); });
}

NB_MODULE(_dom, m) {
  bindElements(m);
  nb::class_<dom::Page>(m, "Page")
      .def(nb::new_([] { return std::make_shared<dom::Page>(); }))
      .def("load", &dom::Page::load)
      .def_prop_ro("root", [](const std::shared_ptr<dom::Page> &page) {
        return ElementProxy(page, page->root.get());
      });
}
