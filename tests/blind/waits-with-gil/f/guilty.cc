#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <future>
#include <optional>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

namespace py = pybind11;
namespace fs = std::filesystem;

namespace shards {

struct Shard {
  fs::path path;
  std::string bytes;
  std::uint32_t checksum = 0;
};

std::uint32_t adler(const std::string& bytes) {
  std::uint32_t a = 1, b = 0;
  for (unsigned char c : bytes) {
    a = (a + c) % 65521;
    b = (b + a) % 65521;
  }
  return (b << 16) | a;
}

Shard read_shard(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + path.string());
  Shard shard;
  shard.path = path;
  shard.bytes.assign(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  shard.checksum = adler(shard.bytes);
  return shard;
}

// Calls back into Python from whichever thread finished a shard.
class Progress {
 public:
  explicit Progress(const std::optional<py::function>& callback) : callback_(callback) {}

  void finished(const Shard& shard) const {
    if (!callback_) return;
    py::gil_scoped_acquire gil;
    try {
      (*callback_)(shard.path.string(), shard.bytes.size());
    } catch (py::error_already_set& error) {
      error.discard_as_unraisable("shards.load_all progress");
    }
  }

 private:
  const std::optional<py::function>& callback_;
};

std::vector<Shard> load_all(const std::vector<fs::path>& paths,
                            const std::optional<py::function>& callback) {
  const Progress progress(callback);
  std::vector<std::future<Shard>> pending;
  std::vector<Shard> shards;
  shards.reserve(paths.size());
  for (const fs::path& path : paths) {
    pending.push_back(std::async(std::launch::async, [&progress, path] {
      Shard shard = read_shard(path);
      progress.finished(shard);
      return shard;
    }));
  }
  for (std::future<Shard>& future : pending) {
    shards.push_back(future.get());
  }
  return shards;
}

}  // namespace shards

PYBIND11_MODULE(_shards, m) {
  using shards::Shard;
  py::class_<Shard>(m, "Shard")
      .def_property_readonly("path", [](const Shard& s) { return s.path; })
      .def_property_readonly("data", [](const Shard& s) { return py::bytes(s.bytes); })
      .def_readonly("checksum", &Shard::checksum);
  m.def("load_all", &shards::load_all, py::arg("paths"), py::arg("progress") = py::none());
}
