// Python bindings of the page document library.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

namespace py = pybind11;

namespace paged {

struct Annotation {
  std::string author;
  std::string text;
};

class Page {
public:
  explicit Page(int number) : number_(number) {}
  int number() const { return number_; }
  const std::vector<Annotation> &annotations() const { return annotations_; }
  void annotate(std::string author, std::string text) {
    annotations_.push_back({std::move(author), std::move(text)});
  }

private:
  int number_;
  std::vector<Annotation> annotations_;
};

class Document {
public:
  explicit Document(std::string path) : path_(std::move(path)) {}
  Document(const Document &) = delete;
  const std::string &path() const { return path_; }
  size_t size() const { return pages_.size(); }
  Page &page(size_t i) { return *pages_.at(i); }
  Page &newPage() {
    const int number = static_cast<int>(pages_.size()) + 1;
    return *pages_.emplace_back(std::make_unique<Page>(number));
  }

private:
  std::string path_;
  std::vector<std::unique_ptr<Page>> pages_;
};

std::unique_ptr<Document> openDocument(const std::string &path) {
  return std::make_unique<Document>(path);
}

}  // namespace paged

static Py_ssize_t normalizeIndex(Py_ssize_t i, size_t size) {
  const auto n = static_cast<Py_ssize_t>(size);
  if (i < 0)
    i += n;
  if (i < 0 || i >= n)
    throw py::index_error("page index out of range");
  return i;
}

static void bindPage(py::module_ &m) {
  py::class_<paged::Annotation>(m, "Annotation")
      .def_readonly("author", &paged::Annotation::author)
      .def_readonly("text", &paged::Annotation::text);

  py::class_<paged::Page>(m, "Page")
      .def_property_readonly("number", &paged::Page::number)
      .def_property_readonly(
          "annotations", [](const paged::Page &self) { return self.annotations(); })
      .def("annotate", &paged::Page::annotate, py::arg("author"), py::arg("text"));
}

static void bindDocument(py::module_ &m) {
  py::class_<paged::Document>(m, "Document")
      .def_property_readonly("path", &paged::Document::path)
      .def("new_page", &paged::Document::newPage, py::return_value_policy::reference_internal)
      .def("__len__", &paged::Document::size)
      .def(
          "__getitem__",
          [](paged::Document &self, Py_ssize_t i) -> paged::Page & {
            return self.page(normalizeIndex(i, self.size()));
          },
          py::return_value_policy::reference);
  m.def("open", &paged::openDocument, py::arg("path"));
}

PYBIND11_MODULE(paged, m) {
  bindPage(m);
  bindDocument(m);
}
