#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <cstdint>
#include <map>
#include <string>

namespace nb = nanobind;

namespace gpu {

class KernelProfile {
 public:
  static KernelProfile& instance() {
    static KernelProfile profile;
    return profile;
  }

  void add(const std::string& kernel, int64_t nanos) {
    totals_[kernel] += nanos;
  }

  void report() {
    nb::gil_scoped_acquire gil;
    nb::object logger = nb::module_::import_("logging").attr("getLogger")("gpu.profile");
    for (const auto& [kernel, nanos] : totals_) {
      logger.attr("info")("%s: %d ns", kernel, nanos);
    }
    totals_.clear();
  }

 private:
  KernelProfile() = default;
  std::map<std::string, int64_t> totals_;
};

}  // namespace gpu

NB_MODULE(_gpuprof, m) {
  m.def("add", [](const std::string& kernel, int64_t nanos) {
    gpu::KernelProfile::instance().add(kernel, nanos);
  }, nb::arg("kernel"), nb::arg("nanos"));
  m.def("report", [] { gpu::KernelProfile::instance().report(); });
  nb::module_::import_("atexit").attr("register")(m.attr("report"));
}
