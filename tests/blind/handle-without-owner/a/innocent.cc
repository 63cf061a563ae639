#include <pybind11/pybind11.h>

#include <libxml/parser.h>
#include <libxml/tree.h>

#include <memory>
#include <string>

namespace py = pybind11;

using DocPtr = std::shared_ptr<xmlDoc>;

std::string text_of(const xmlChar* s) {
  return s ? std::string(reinterpret_cast<const char*>(s)) : std::string();
}

struct PyAttribute {
  DocPtr doc;
  xmlAttrPtr attr;
  std::string name() const { return text_of(attr->name); }
  std::string value() const {
    return attr->children ? text_of(attr->children->content) : std::string();
  }
};

struct PyElement {
  DocPtr doc;
  xmlNodePtr node;

  std::string tag() const { return text_of(node->name); }
  py::list children() const {
    py::list out;
    for (xmlNodePtr c = xmlFirstElementChild(node); c; c = xmlNextElementSibling(c))
      out.append(PyElement{doc, c});
    return out;
  }
  py::list attributes() const {
    py::list out;
    for (xmlAttrPtr a = node->properties; a; a = a->next) out.append(PyAttribute{doc, a});
    return out;
  }
};

struct PyDocument {
  DocPtr doc;
  static PyDocument parse(const std::string& text) {
    DocPtr doc(xmlReadMemory(text.data(), static_cast<int>(text.size()), nullptr, nullptr, 0),
               [](xmlDocPtr d) { if (d) xmlFreeDoc(d); });
    if (!doc) throw py::value_error("not well-formed");
    return {doc};
  }
  PyElement root() const {
    xmlNodePtr node = xmlDocGetRootElement(doc.get());
    if (!node) throw py::value_error("an empty document");
    return {doc, node};
  }
};

PYBIND11_MODULE(_tinyxml, m) {
  py::class_<PyAttribute>(m, "Attribute")
      .def_property_readonly("name", &PyAttribute::name)
      .def_property_readonly("value", &PyAttribute::value);
  py::class_<PyElement>(m, "Element")
      .def_property_readonly("tag", &PyElement::tag)
      .def("children", &PyElement::children)
      .def("attributes", &PyElement::attributes);
  py::class_<PyDocument>(m, "Document")
      .def_static("parse", &PyDocument::parse)
      .def("root", &PyDocument::root);
}
