#include <pybind11/eval.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <string>
#include <unordered_map>
#include <vector>

namespace py = pybind11;

namespace pricing {

// Evaluates the pay-off formulas that users write in Python.
class FormulaEngine {
 public:
  explicit FormulaEngine(std::string currency) : currency_(std::move(currency)) {
    globals_ = py::dict();
    globals_["__builtins__"] = py::module_::import("builtins");
    globals_["CCY"] = currency_;
  }

  void define(const std::string& name, double value) {
    constants_[name] = value;
    globals_[py::str(name)] = value;
  }

  double evaluate(const std::string& formula) const {
    return py::eval(formula, globals_).cast<double>();
  }

  std::vector<double> evaluate_all(const std::vector<std::string>& formulas) const {
    std::vector<double> out;
    out.reserve(formulas.size());
    for (const auto& f : formulas) out.push_back(evaluate(f));
    return out;
  }

  const std::string& currency() const { return currency_; }

 private:
  std::string currency_;
  std::unordered_map<std::string, double> constants_;
  py::dict globals_;
};

}  // namespace pricing

PYBIND11_MODULE(_pricing, m) {
  using pricing::FormulaEngine;
  py::class_<FormulaEngine>(m, "FormulaEngine")
      .def(py::init<std::string>(), py::arg("currency"))
      .def("define", &FormulaEngine::define)
      .def("evaluate", &FormulaEngine::evaluate)
      .def("evaluate_all", &FormulaEngine::evaluate_all)
      .def_property_readonly("currency", &FormulaEngine::currency);
}
