#include <libxml/parser.h>
#include <libxml/tree.h>

#include <memory>
#include <new>
#include <stdexcept>
#include <string>

namespace xml {

class Element {
 public:
  explicit Element(const std::string& name)
      : node_(xmlNewNode(nullptr, reinterpret_cast<const xmlChar*>(name.c_str()))), owns_(true) {
    if (!node_) throw std::bad_alloc();
  }
  Element(const Element&) = delete;
  Element& operator=(const Element&) = delete;
  ~Element() {
    if (owns_) xmlFreeNode(node_);
  }

  void SetAttribute(const std::string& name, const std::string& value) {
    if (!owns_) throw std::logic_error("element is in a tree already");
    if (!xmlSetProp(node_, Text(name), Text(value))) throw std::bad_alloc();
  }

  void Append(Element& child) {
    if (!owns_ || !child.owns_) throw std::logic_error("element is in a tree already");
    if (!xmlAddChild(node_, child.node_)) throw std::runtime_error("xmlAddChild failed");
    child.owns_ = false;
  }

 private:
  friend class Document;
  static const xmlChar* Text(const std::string& s) {
    return reinterpret_cast<const xmlChar*>(s.c_str());
  }

  xmlNodePtr node_;
  bool owns_;
};

class Document {
 public:
  Document() : doc_(xmlNewDoc(reinterpret_cast<const xmlChar*>("1.0")), &xmlFreeDoc) {
    if (!doc_) throw std::bad_alloc();
  }

  void SetRoot(Element& root) {
    if (!root.owns_) throw std::logic_error("element has a parent");
    if (xmlDocGetRootElement(doc_.get())) throw std::logic_error("document has a root");
    xmlDocSetRootElement(doc_.get(), root.node_);
  }

  std::string Dump() const {
    xmlChar* text = nullptr;
    int size = 0;
    xmlDocDumpMemory(doc_.get(), &text, &size);
    std::unique_ptr<xmlChar, void (*)(void*)> owner(text, xmlFree);
    return text ? std::string(reinterpret_cast<char*>(text), static_cast<std::size_t>(size)) : "";
  }

 private:
  std::unique_ptr<xmlDoc, decltype(&xmlFreeDoc)> doc_;
};

}  // namespace xml
