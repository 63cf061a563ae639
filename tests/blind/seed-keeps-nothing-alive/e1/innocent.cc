#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace py = pybind11;

namespace molecules {

struct Atom {
  std::string element;
  std::array<double, 3> position{};
  double charge = 0.0;
};

class Molecule {
 public:
  explicit Molecule(std::string name) : name_(std::move(name)) {}

  const std::string& name() const { return name_; }
  size_t size() const { return atoms_.size(); }

  void add(std::string element, std::array<double, 3> position) {
    atoms_.push_back(std::make_unique<Atom>(Atom{std::move(element), position, 0.0}));
  }

  Atom& at(size_t i) {
    if (i >= atoms_.size()) throw std::out_of_range("atom index");
    return *atoms_[i];
  }

  Atom* mostCharged() {
    Atom* best = nullptr;
    for (auto& a : atoms_)
      if (!best || a->charge > best->charge) best = a.get();
    return best;
  }

  double distance(size_t i, size_t j) {
    const auto& a = at(i).position;
    const auto& b = at(j).position;
    double sum = 0.0;
    for (int k = 0; k < 3; ++k) sum += (a[k] - b[k]) * (a[k] - b[k]);
    return std::sqrt(sum);
  }

 private:
  std::string name_;
  std::vector<std::unique_ptr<Atom>> atoms_;
};

}  // namespace molecules

PYBIND11_MODULE(_molecules, m) {
  using molecules::Atom;
  using molecules::Molecule;

  py::class_<Atom>(m, "Atom")
      .def_readonly("element", &Atom::element)
      .def_readwrite("position", &Atom::position)
      .def_readwrite("charge", &Atom::charge);

  py::class_<Molecule>(m, "Molecule")
      .def(py::init<std::string>())
      .def_property_readonly("name", &Molecule::name)
      .def("__len__", &Molecule::size)
      .def("add", &Molecule::add, py::arg("element"), py::arg("position"))
      .def("distance", &Molecule::distance)
      .def("__getitem__", &Molecule::at, py::return_value_policy::reference_internal)
      .def("most_charged", &Molecule::mostCharged, py::return_value_policy::reference_internal);
}
