#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>

namespace nb = nanobind;

struct Kernel {
  std::string source;
  uint32_t block = 128;
};

class Runtime {
 public:
  uint64_t CreateBuffer(std::size_t bytes) {
    nb::ft_lock_guard guard(buffers_mutex_);
    const uint64_t id = ++last_buffer_;
    buffers_.emplace(id, bytes);
    return id;
  }

  bool DestroyBuffer(uint64_t id) {
    nb::ft_lock_guard guard(buffers_mutex_);
    return buffers_.erase(id) != 0;
  }

  std::size_t BufferBytes(uint64_t id) {
    nb::ft_lock_guard guard(buffers_mutex_);
    auto it = buffers_.find(id);
    if (it == buffers_.end()) throw nb::key_error("no such buffer");
    return it->second;
  }

  void RegisterKernel(const std::string& name, std::string source, uint32_t block) {
    nb::ft_lock_guard guard(kernels_mutex_);
    kernels_.insert_or_assign(name, Kernel{std::move(source), block});
  }

  Kernel FindKernel(const std::string& name) {
    nb::ft_lock_guard guard(kernels_mutex_);
    auto it = kernels_.find(name);
    if (it == kernels_.end()) throw nb::key_error(name.c_str());
    return it->second;
  }

 private:
  nb::ft_mutex buffers_mutex_;
  uint64_t last_buffer_ = 0;
  std::unordered_map<uint64_t, std::size_t> buffers_;
  nb::ft_mutex kernels_mutex_;
  std::unordered_map<std::string, Kernel> kernels_;
};

// nanobind_add_module(_runtime FREE_THREADED runtime.cc)
NB_MODULE(_runtime, m) {
  nb::class_<Kernel>(m, "Kernel")
      .def_ro("source", &Kernel::source)
      .def_ro("block", &Kernel::block);
  nb::class_<Runtime>(m, "Runtime")
      .def(nb::init<>())
      .def("create_buffer", &Runtime::CreateBuffer, nb::arg("bytes"))
      .def("destroy_buffer", &Runtime::DestroyBuffer, nb::arg("id"))
      .def("buffer_bytes", &Runtime::BufferBytes, nb::arg("id"))
      .def("register_kernel", &Runtime::RegisterKernel, nb::arg("name"), nb::arg("source"),
           nb::arg("block") = 128)
      .def("find_kernel", &Runtime::FindKernel, nb::arg("name"));
}
