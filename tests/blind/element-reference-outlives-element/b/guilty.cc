#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/shared_ptr.h>

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>

namespace nb = nanobind;

namespace net {

struct Session {
  std::string peer;
  uint64_t bytes_in = 0;
  uint64_t bytes_out = 0;
  uint64_t total() const { return bytes_in + bytes_out; }
};

class Registry {
 public:
  void connect(uint32_t id, const std::string& peer) {
    auto& slot = sessions_[id];
    if (!slot) slot = std::make_shared<Session>();
    slot->peer = peer;
  }
  void traffic(uint32_t id, uint64_t in, uint64_t out) {
    auto it = sessions_.find(id);
    if (it == sessions_.end()) return;
    it->second->bytes_in += in;
    it->second->bytes_out += out;
  }
  size_t sweep(uint64_t minimum) {
    return std::erase_if(sessions_, [&](const auto& kv) { return kv.second->total() < minimum; });
  }
  std::shared_ptr<Session> find(uint32_t id) const {
    auto it = sessions_.find(id);
    return it == sessions_.end() ? nullptr : it->second;
  }

 private:
  std::unordered_map<uint32_t, std::shared_ptr<Session>> sessions_;
};

}  // namespace net

NB_MODULE(_netstat, m) {
  using namespace net;
  nb::class_<Session>(m, "Session")
      .def_ro("peer", &Session::peer)
      .def_ro("bytes_in", &Session::bytes_in)
      .def_ro("bytes_out", &Session::bytes_out);
  nb::class_<Registry> registry(m, "Registry");
  registry.def(nb::init<>());
  registry.def("connect", &Registry::connect);
  registry.def("traffic", &Registry::traffic);
  registry.def("sweep", &Registry::sweep, nb::arg("minimum"));
  registry.def("find", [](const Registry& self, uint32_t id) { return self.find(id).get(); },
               nb::rv_policy::reference_internal);
}
