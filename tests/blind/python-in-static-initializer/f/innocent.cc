#include <pybind11/pybind11.h>
#include <pybind11/gil_safe_call_once.h>
#include <pybind11/stl.h>

#include <array>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace py = pybind11;

namespace columns {

enum class Kind { kInt32, kInt64, kFloat32, kFloat64, kBool };

struct KindInfo {
  Kind kind;
  const char* name;
  std::size_t width;
};

constexpr std::array<KindInfo, 5> kKinds{{
    {Kind::kInt32, "int32", 4},
    {Kind::kInt64, "int64", 8},
    {Kind::kFloat32, "float32", 4},
    {Kind::kFloat64, "float64", 8},
    {Kind::kBool, "bool", 1},
}};

const KindInfo& info(Kind kind) { return kKinds[static_cast<std::size_t>(kind)]; }

// numpy is optional and heavy, hence imported on first use only.
const py::object& dtype_type() {
  PYBIND11_CONSTINIT static py::gil_safe_call_once_and_store<py::object> storage;
  return storage
      .call_once_and_store_result(
          []() -> py::object { return py::module_::import("numpy").attr("dtype"); })
      .get_stored();
}

py::object to_dtype(Kind kind) { return dtype_type()(info(kind).name); }

Kind from_dtype(const py::object& spec) {
  const auto name = dtype_type()(spec).attr("name").cast<std::string>();
  for (const KindInfo& candidate : kKinds) {
    if (name == candidate.name) return candidate.kind;
  }
  throw py::type_error("no column kind for dtype " + name);
}

class Schema {
 public:
  void add(std::string name, Kind kind) {
    names_.push_back(std::move(name));
    kinds_.push_back(kind);
  }
  std::size_t row_width() const {
    std::size_t width = 0;
    for (Kind kind : kinds_) width += info(kind).width;
    return width;
  }
  py::dict dtypes() const {
    py::dict result;
    for (std::size_t i = 0; i < names_.size(); ++i) {
      result[py::str(names_[i])] = to_dtype(kinds_[i]);
    }
    return result;
  }

 private:
  std::vector<std::string> names_;
  std::vector<Kind> kinds_;
};

}  // namespace columns

PYBIND11_MODULE(_columns, m) {
  using columns::Schema;
  py::class_<Schema>(m, "Schema")
      .def(py::init<>())
      .def("add",
           [](Schema& self, std::string name, const py::object& dtype) {
             self.add(std::move(name), columns::from_dtype(dtype));
           })
      .def_property_readonly("row_width", &Schema::row_width)
      .def("dtypes", &Schema::dtypes);
}
