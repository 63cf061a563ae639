// Python module of the PDF reader.
#include <pybind11/pybind11.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace py = pybind11;

struct fz_doc;
struct fz_page;
extern "C" {
fz_doc* fz_doc_open(const char* file_name);
void fz_doc_free(fz_doc* doc);  // the pages too
int fz_doc_page_count(const fz_doc* doc);
fz_page* fz_doc_load_page(fz_doc* doc, int index);
int fz_page_rotation(const fz_page* page);
void fz_page_set_rotation(fz_page* page, int degrees);
const char* fz_page_text(fz_page* page);
const char* fz_page_label(const fz_page* page);
}

namespace pdf {

class PageHandle {
 public:
  explicit PageHandle(fz_page* page) : page_(page) {}

  int Rotation() const {
    CheckValid();
    return fz_page_rotation(page_);
  }

  void SetRotation(int degrees) {
    CheckValid();
    if (degrees % 90 != 0) throw py::value_error("rotation must be a multiple of 90");
    fz_page_set_rotation(page_, degrees);
  }

  std::string Text() const {
    CheckValid();
    const char* text = fz_page_text(page_);
    return text == nullptr ? std::string() : std::string(text);
  }

  void CheckValid() const {
    if (!valid_) throw std::runtime_error("the document of this page is closed");
  }

  fz_page* raw() const { return page_; }
  bool valid() const { return valid_; }
  void Invalidate() { valid_ = false; }

 private:
  fz_page* page_;
  bool valid_ = true;
};

class Document {
 public:
  explicit Document(const std::string& file_name) : doc_(fz_doc_open(file_name.c_str())) {
    if (doc_ == nullptr) throw std::runtime_error("not a PDF file: " + file_name);
    pages_.resize(static_cast<size_t>(fz_doc_page_count(doc_)));
  }
  Document(const Document&) = delete;
  Document& operator=(const Document&) = delete;
  ~Document() { Close(); }

  size_t PageCount() const { return pages_.size(); }

  std::shared_ptr<PageHandle> Page(size_t index) {
    if (doc_ == nullptr) throw std::runtime_error("the document is closed");
    if (index >= pages_.size()) throw py::index_error("no such page");
    if (pages_[index] == nullptr) {
      fz_page* page = fz_doc_load_page(doc_, static_cast<int>(index));
      if (page == nullptr) throw std::runtime_error("the page is damaged");
      pages_[index] = std::make_shared<PageHandle>(page);
    }
    return pages_[index];
  }

  void Close() {
    if (doc_ == nullptr) return;
    for (const auto& page : pages_) {
      if (page != nullptr) page->Invalidate();
    }
    pages_.clear();
    fz_doc_free(doc_);
    doc_ = nullptr;
  }

 private:
  fz_doc* doc_;
  std::vector<std::shared_ptr<PageHandle>> pages_;
};

}  // namespace pdf

PYBIND11_MODULE(_pdf, m) {
  using pdf::Document;
  using pdf::PageHandle;

  py::class_<PageHandle, std::shared_ptr<PageHandle>>(m, "Page")
      .def_property_readonly("valid", &PageHandle::valid)
      .def_property("rotation", &PageHandle::Rotation, &PageHandle::SetRotation)
      .def("text", &PageHandle::Text)
      .def_property_readonly("label", [](const PageHandle& self) -> py::object {
        const char* label = fz_page_label(self.raw());
        if (label == nullptr) return py::none();
        return py::str(label);
      });

  py::class_<Document>(m, "Document")
      .def(py::init<const std::string&>(), py::arg("file_name"))
      .def("__len__", &Document::PageCount)
      .def("__getitem__", &Document::Page)
      .def("__enter__", [](py::object self) { return self; })
      .def("__exit__", [](Document& self, py::args) { self.Close(); })
      .def("close", &Document::Close);
}
