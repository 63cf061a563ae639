#include <pybind11/pybind11.h>

#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>

// C interface of the toolchain (vmc.h).
extern "C" {
typedef struct vmc_module vmc_module;
typedef struct vmc_linker vmc_linker;

vmc_module* vmc_module_parse(const char* text, size_t length);
void vmc_module_destroy(vmc_module* module);
size_t vmc_module_num_functions(const vmc_module* module);

vmc_linker* vmc_linker_create(const char* name);
void vmc_linker_destroy(vmc_linker* linker);
// Takes ownership of the module if it returns 0.
int vmc_linker_add(vmc_linker* linker, vmc_module* module);
size_t vmc_linker_num_symbols(const vmc_linker* linker);
}

namespace py = pybind11;

namespace {

class PyModule {
 public:
  explicit PyModule(const std::string& text)
      : module_(vmc_module_parse(text.data(), text.size())), owned_(true) {
    if (module_ == nullptr) throw std::invalid_argument("cannot parse the module");
  }
  PyModule(const PyModule&) = delete;
  PyModule& operator=(const PyModule&) = delete;
  ~PyModule() {
    if (owned_) vmc_module_destroy(module_);
  }

  vmc_module* get() const {
    if (!owned_) throw std::runtime_error("the module was moved into a linker");
    return module_;
  }

  void disown() { owned_ = false; }
  bool owned() const { return owned_; }
  std::size_t num_functions() const { return vmc_module_num_functions(get()); }

 private:
  vmc_module* module_;
  bool owned_;
};

class PyLinker {
 public:
  explicit PyLinker(std::string name)
      : name_(std::move(name)), linker_(vmc_linker_create(name_.c_str())) {
    if (linker_ == nullptr) throw std::runtime_error("cannot create linker " + name_);
  }
  PyLinker(const PyLinker&) = delete;
  PyLinker& operator=(const PyLinker&) = delete;
  ~PyLinker() { vmc_linker_destroy(linker_); }

  void add(PyModule& module) {
    if (vmc_linker_add(linker_, module.get()) != 0) {
      throw std::runtime_error(name_ + ": conflicting symbols");
    }
    ++added_;
  }

  std::size_t added() const { return added_; }
  std::size_t num_symbols() const { return vmc_linker_num_symbols(linker_); }

 private:
  std::string name_;
  vmc_linker* linker_;
  std::size_t added_ = 0;
};

}  // namespace

PYBIND11_MODULE(_vmc, m) {
  py::class_<PyModule>(m, "Module")
      .def(py::init<const std::string&>(), py::arg("text"))
      .def_property_readonly("owned", &PyModule::owned)
      .def_property_readonly("num_functions", &PyModule::num_functions);
  py::class_<PyLinker>(m, "Linker")
      .def(py::init<std::string>(), py::arg("name"))
      .def("add", &PyLinker::add, py::arg("module"))
      .def_property_readonly("added", &PyLinker::added)
      .def_property_readonly("num_symbols", &PyLinker::num_symbols);
}
