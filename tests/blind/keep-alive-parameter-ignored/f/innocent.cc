#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace nb = nanobind;

extern "C" {
struct toy_module;
struct toy_block;
struct toy_op;
toy_module *toy_module_parse(const char *text);
void toy_module_destroy(toy_module *module);
toy_block *toy_module_body(toy_module *module);
toy_op *toy_block_first(toy_block *block);
toy_op *toy_op_next(toy_op *op);
const char *toy_op_name(toy_op *op);
}

namespace toy {

struct ModuleDeleter {
  void operator()(toy_module *module) const { toy_module_destroy(module); }
};

class PyModule {
 public:
  explicit PyModule(const std::string &text)
      : module_(toy_module_parse(text.c_str())) {
    if (!module_) throw nb::value_error("cannot parse the module");
  }
  toy_module *get() const { return module_.get(); }

 private:
  std::unique_ptr<toy_module, ModuleDeleter> module_;
};

// The operations of one block. `parent` is the object that owns the block.
class PyOpList {
 public:
  static PyOpList forBlock(toy_block *block, nb::object parent) {
    PyOpList list;
    list.block_ = block;
    list.parent_ = std::move(parent);
    return list;
  }

  std::size_t size() const {
    std::size_t count = 0;
    for (toy_op *op = toy_block_first(block_); op; op = toy_op_next(op)) ++count;
    return count;
  }

  std::string name(std::size_t index) const {
    for (toy_op *op = toy_block_first(block_); op; op = toy_op_next(op)) {
      if (index-- == 0) return toy_op_name(op);
    }
    throw nb::index_error("no such operation");
  }

 private:
  PyOpList() = default;

  toy_block *block_ = nullptr;
  nb::object parent_;
};

}  // namespace toy

NB_MODULE(_toy_ir, m) {
  using toy::PyModule;
  using toy::PyOpList;
  nb::class_<PyOpList>(m, "OpList")
      .def("__len__", &PyOpList::size)
      .def("__getitem__", &PyOpList::name, nb::arg("index"));
  nb::class_<PyModule>(m, "Module")
      .def(nb::init<const std::string &>(), nb::arg("text"))
      .def_prop_ro("body", [](nb::object self) {
        toy_module *module = nb::cast<PyModule &>(self).get();
        return PyOpList::forBlock(toy_module_body(module), self);
      });
}
