#include <pybind11/pybind11.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace py = pybind11;

extern "C" {
typedef struct tio_writer tio_writer;
typedef struct {
  const char *name;
  const char *dtype;
  const int64_t *dims;
  int32_t rank;
} tio_spec;
// Copies what `spec` points to.
tio_writer *tio_writer_create(const char *path, const tio_spec *spec);
int tio_writer_append(tio_writer *writer, const void *data, size_t size);
void tio_writer_destroy(tio_writer *writer);
}

namespace {

// Backing store of a tio_spec while the C call runs.
struct SpecStorage {
  std::string name;
  std::string dtype;
  std::vector<int64_t> dims;
};

void FillSpec(py::handle array, std::string name, SpecStorage *storage,
              tio_spec *spec) {
  for (py::handle dim : array.attr("shape")) {
    storage->dims.push_back(dim.cast<int64_t>());
  }
  storage->name = std::move(name);
  spec->name = storage->name.c_str();
  spec->dtype = py::str(array.attr("dtype")).cast<std::string>().c_str();
  spec->dims = storage->dims.data();
  spec->rank = static_cast<int32_t>(storage->dims.size());
}

class Writer {
 public:
  Writer(const std::string &path, std::string name, py::object array) {
    SpecStorage storage;
    tio_spec spec = {};
    FillSpec(array, std::move(name), &storage, &spec);
    writer_ = tio_writer_create(path.c_str(), &spec);
    if (!writer_) throw std::runtime_error("cannot create " + path);
  }
  Writer(const Writer &) = delete;
  Writer &operator=(const Writer &) = delete;
  ~Writer() { tio_writer_destroy(writer_); }

  void Append(const py::bytes &chunk) {
    char *data = nullptr;
    py::ssize_t size = 0;
    if (PyBytes_AsStringAndSize(chunk.ptr(), &data, &size) < 0) {
      throw py::error_already_set();
    }
    if (tio_writer_append(writer_, data, static_cast<size_t>(size)) != 0) {
      throw std::runtime_error("append failed");
    }
  }

 private:
  tio_writer *writer_ = nullptr;
};

}  // namespace

PYBIND11_MODULE(_tio, m) {
  py::class_<Writer>(m, "Writer")
      .def(py::init<const std::string &, std::string, py::object>(),
           py::arg("path"), py::arg("name"), py::arg("array"))
      .def("append", &Writer::Append, py::arg("chunk"));
}
