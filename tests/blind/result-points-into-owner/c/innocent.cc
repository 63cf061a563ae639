#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

namespace py = pybind11;

namespace soundings {

struct Depth {
  double position;
  double metres;
};

using Table = std::vector<Depth>;

/* Reads the depth between two soundings of a chart. */
class Profile {
 public:
  Profile(std::shared_ptr<const Table> table, std::size_t first, std::size_t last)
      : table_(std::move(table)), first_(first), last_(last) {}

  std::size_t size() const { return last_ - first_; }

  double at(double position) const {
    for (std::size_t i = first_; i + 1 < last_; ++i) {
      const Depth &a = (*table_)[i];
      const Depth &b = (*table_)[i + 1];
      if (position < a.position || position > b.position) continue;
      const double t = (position - a.position) / (b.position - a.position);
      return a.metres + t * (b.metres - a.metres);
    }
    throw py::index_error("the position is off the profile");
  }

 private:
  std::shared_ptr<const Table> table_;
  std::size_t first_;
  std::size_t last_;
};

class Chart {
 public:
  explicit Chart(const std::vector<std::pair<double, double>> &rows)
      : table_(std::make_shared<Table>()) {
    for (const auto &[position, metres] : rows) {
      table_->push_back(Depth{position, metres});
    }
  }

  Profile profile(std::size_t first, std::size_t last) const {
    if (first > last || last > table_->size()) throw py::index_error("no such soundings");
    return Profile(table_, first, last);
  }

 private:
  std::shared_ptr<Table> table_;
};

}  // namespace soundings

PYBIND11_MODULE(_soundings, m) {
  using namespace soundings;
  py::class_<Profile>(m, "Profile")
      .def("__len__", &Profile::size)
      .def("at", &Profile::at, py::arg("position"));
  py::class_<Chart>(m, "Chart")
      .def(py::init<const std::vector<std::pair<double, double>> &>())
      .def("profile", &Chart::profile, py::arg("first"), py::arg("last"));
}
