#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <memory>
#include <string>
#include <utility>

namespace nb = nanobind;

namespace ir {
struct Operation {
  std::string name;
  Operation* next = nullptr;
};

struct Module {
  Module() = default;
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;
  ~Module() {
    while (first) delete std::exchange(first, first->next);
  }
  Operation* append(std::string name) {
    auto* op = new Operation{std::move(name), first};
    first = op;
    return op;
  }
  Operation* first = nullptr;
};
}  // namespace ir

class PyOperation {
 public:
  explicit PyOperation(ir::Operation* op) : op_(op) {}

  static nb::object forOperation(ir::Operation* op, nb::object owner) {
    auto wrapper = std::make_unique<PyOperation>(op);
    wrapper->module_keepalive_ = std::move(owner);
    return nb::cast(wrapper.release(), nb::rv_policy::take_ownership);
  }

  static nb::object createDetached(ir::Module& module, const std::string& name,
                                   nb::object owner) {
    if (name.empty()) throw nb::value_error("operation name must not be empty");
    ir::Operation* op = module.append(name);
    auto wrapper = std::make_unique<PyOperation>(op);
    return nb::cast(wrapper.release(), nb::rv_policy::take_ownership);
  }

  const std::string& name() const { return op_->name; }

 private:
  ir::Operation* op_;
  nb::object module_keepalive_;
};

NB_MODULE(_ir, m) {
  nb::class_<PyOperation>(m, "Operation")
      .def_prop_ro("name", [](const PyOperation& self) { return self.name(); });
  nb::class_<ir::Module>(m, "Module")
      .def(nb::init<>())
      .def("first",
           [](nb::handle self) -> nb::object {
             auto& module = nb::cast<ir::Module&>(self);
             if (!module.first) return nb::none();
             return PyOperation::forOperation(module.first, nb::borrow(self));
           })
      .def("append", [](nb::handle self, const std::string& name) {
        return PyOperation::createDetached(nb::cast<ir::Module&>(self), name, nb::borrow(self));
      });
}
