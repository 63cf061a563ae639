#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace py = pybind11;

namespace codec {

class Codec {
 public:
  Codec(std::string name, unsigned char key)
      : name_(std::move(name)), key_(key) {}
  const std::string &name() const { return name_; }
  std::string Apply(std::string data) const {
    for (char &c : data) c = static_cast<char>(c ^ key_);
    return data;
  }

 private:
  std::string name_;
  unsigned char key_;
};

struct Registry {
  std::mutex mutex;
  std::unordered_map<std::string, std::shared_ptr<Codec>> codecs;
};

Registry &GetRegistry() {
  static Registry *registry = new Registry;
  return *registry;
}

void RegisterCodec(const std::string &name, int key) {
  auto codec = std::make_shared<Codec>(name, static_cast<unsigned char>(key));
  Registry &registry = GetRegistry();
  std::lock_guard<std::mutex> lock(registry.mutex);
  registry.codecs[name] = std::move(codec);
}

std::shared_ptr<Codec> LookupCodec(const std::string &name) {
  Registry &registry = GetRegistry();
  auto it = registry.codecs.find(name);
  if (it == registry.codecs.end()) throw py::key_error("no codec " + name);
  return it->second;
}

std::vector<std::string> CodecNames() {
  std::vector<std::string> names;
  Registry &registry = GetRegistry();
  {
    std::lock_guard<std::mutex> lock(registry.mutex);
    for (const auto &[name, codec] : registry.codecs) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace codec

PYBIND11_MODULE(_codec, m, py::mod_gil_not_used()) {
  py::class_<codec::Codec, std::shared_ptr<codec::Codec>>(m, "Codec")
      .def_property_readonly("name", &codec::Codec::name)
      .def("apply",
           [](const codec::Codec &self, const std::string &data) {
             return py::bytes(self.Apply(data));
           },
           py::arg("data"));
  m.def("register_codec", &codec::RegisterCodec, py::arg("name"),
        py::arg("key"));
  m.def("lookup_codec", &codec::LookupCodec, py::arg("name"));
  m.def("codec_names", &codec::CodecNames);
}
