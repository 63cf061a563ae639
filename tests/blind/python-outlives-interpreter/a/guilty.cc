#include <pybind11/pybind11.h>

#include <string>
#include <unordered_map>

namespace py = pybind11;

namespace {

std::unordered_map<std::string, py::function> g_decoders;

void register_decoder(const std::string& suffix, py::function fn) {
  if (suffix.empty() || suffix[0] != '.') {
    throw py::value_error("a suffix starts with a dot: " + suffix);
  }
  g_decoders[suffix] = std::move(fn);
}

std::string suffix_of(const std::string& path) {
  const auto dot = path.rfind('.');
  return dot == std::string::npos ? std::string() : path.substr(dot);
}

py::object decode(const std::string& path, py::bytes data) {
  auto it = g_decoders.find(suffix_of(path));
  if (it == g_decoders.end()) throw py::key_error("no decoder for " + path);
  py::function fn = it->second;
  return fn(data);
}

py::list suffixes() {
  py::list out;
  for (const auto& [suffix, fn] : g_decoders) out.append(suffix);
  return out;
}

}  // namespace

PYBIND11_MODULE(_imagecodecs, m) {
  m.def("register_decoder", &register_decoder, py::arg("suffix"), py::arg("fn"));
  m.def("decode", &decode, py::arg("path"), py::arg("data"));
  m.def("suffixes", &suffixes);
}
