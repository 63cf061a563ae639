#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <string>
#include <vector>

namespace nb = nanobind;

namespace {

struct Dimension {
  std::string name;
  int64_t size = -1;
};

struct Signature {
  std::vector<Dimension> dimensions;
  bool dynamic = false;
};

constexpr int64_t kDynamic = -1;

int64_t ParseSize(nb::handle size) {
  if (size.is_none()) return kDynamic;
  int64_t value = nb::cast<int64_t>(size);
  if (value < 0) throw nb::value_error("dimension sizes are not negative");
  return value;
}

// `entry` is (name, size), where size may be None.
Dimension ParseDimension(nb::handle entry) {
  nb::tuple pair = nb::borrow<nb::tuple>(entry);
  if (pair.size() != 2) {
    throw nb::value_error("a dimension is a (name, size) tuple");
  }
  return Dimension{nb::cast<std::string>(pair[0]), ParseSize(pair[1])};
}

Signature ParseSignature(nb::iterable entries) {
  Signature signature;
  for (nb::handle entry : entries) {
    signature.dimensions.push_back(ParseDimension(entry));
    signature.dynamic |= signature.dimensions.back().size == kDynamic;
  }
  return signature;
}

std::string Format(const Signature &signature) {
  std::string out = "(";
  for (const Dimension &dimension : signature.dimensions) {
    if (out.size() > 1) out += ", ";
    out += dimension.name + ": ";
    out += dimension.size == kDynamic ? "?" : std::to_string(dimension.size);
  }
  return out + ")";
}

}  // namespace

NB_MODULE(_signature, m) {
  nb::class_<Signature>(m, "Signature")
      .def_static("parse", &ParseSignature, nb::arg("entries"))
      .def_ro("dynamic", &Signature::dynamic)
      .def("__len__",
           [](const Signature &self) { return self.dimensions.size(); })
      .def("__repr__", &Format);
}
