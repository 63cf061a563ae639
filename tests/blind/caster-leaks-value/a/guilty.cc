#include <pybind11/pybind11.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace py = pybind11;

namespace geo {
struct Ring {
  std::vector<std::pair<double, double>> points;
  double area() const {
    double twice = 0;
    for (size_t i = 0; i < points.size(); ++i) {
      const auto& a = points[i];
      const auto& b = points[(i + 1) % points.size()];
      twice += a.first * b.second - b.first * a.second;
    }
    return twice / 2;
  }
};

double signed_area(const Ring* ring) { return ring->area(); }
bool is_clockwise(const Ring& ring) { return ring.area() < 0; }
}  // namespace geo

namespace pybind11 {
namespace detail {

template <>
struct type_caster<geo::Ring> {
  static constexpr auto name = const_name("Sequence[tuple[float, float]]");
  template <typename T>
  using cast_op_type = pybind11::detail::cast_op_type<T>;

  bool load(handle src, bool) {
    if (!isinstance<sequence>(src) || isinstance<str>(src)) return false;
    std::vector<std::pair<double, double>> points;
    for (handle item : reinterpret_borrow<sequence>(src)) {
      if (!isinstance<tuple>(item) || len(item) != 2) return false;
      auto pair = reinterpret_borrow<tuple>(item);
      points.emplace_back(pair[0].cast<double>(), pair[1].cast<double>());
    }
    if (points.size() < 3) return false;
    ring_ = new geo::Ring{std::move(points)};
    return true;
  }

  operator geo::Ring*() { return ring_; }
  operator geo::Ring&() { return *ring_; }

 private:
  geo::Ring* ring_ = nullptr;
};

}  // namespace detail
}  // namespace pybind11

PYBIND11_MODULE(_rings, m) {
  m.def("signed_area", &geo::signed_area, py::arg("ring"));
  m.def("is_clockwise", &geo::is_clockwise, py::arg("ring"));
}
