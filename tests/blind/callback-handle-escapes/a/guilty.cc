#include <pybind11/pybind11.h>

#include <string>

#include "mlir-c/Diagnostics.h"
#include "mlir-c/IR.h"
#include "mlir/Bindings/Python/PybindAdaptors.h"

namespace py = pybind11;

namespace {

void append(MlirStringRef part, void* out) {
  static_cast<std::string*>(out)->append(part.data, part.length);
}

class PyReport {
 public:
  explicit PyReport(MlirDiagnostic d) : diag_(d) {}

  std::string message() const {
    check();
    std::string text;
    mlirDiagnosticPrint(diag_, append, &text);
    return text;
  }
  int severity() const {
    check();
    return static_cast<int>(mlirDiagnosticGetSeverity(diag_));
  }
  void close() { open_ = false; }

 private:
  void check() const {
    if (!open_) throw py::value_error("the report was closed");
  }
  MlirDiagnostic diag_;
  bool open_ = true;
};

MlirLogicalResult deliver(MlirDiagnostic diag, void* user) {
  py::gil_scoped_acquire gil;
  auto* fn = static_cast<py::object*>(user);
  py::object report = py::cast(PyReport(diag));
  bool handled = false;
  try {
    handled = py::cast<bool>((*fn)(report));
  } catch (py::error_already_set& e) {
    e.discard_as_unraisable("diagnostic handler");
  } catch (py::cast_error&) {
  }
  return handled ? mlirLogicalResultSuccess() : mlirLogicalResultFailure();
}

void drop(void* user) {
  py::gil_scoped_acquire gil;
  delete static_cast<py::object*>(user);
}

}  // namespace

PYBIND11_MODULE(_diagnostics, m) {
  py::class_<PyReport>(m, "Report")
      .def_property_readonly("message", &PyReport::message)
      .def_property_readonly("severity", &PyReport::severity)
      .def("close", &PyReport::close);
  m.def("attach", [](MlirContext ctx, py::function fn) {
    return mlirContextAttachDiagnosticHandler(ctx, deliver, new py::object(fn), drop);
  });
}
