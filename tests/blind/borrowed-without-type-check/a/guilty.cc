#include <pybind11/pybind11.h>

#include <string>
#include <vector>

namespace py = pybind11;

namespace plot {

struct Style {
  std::string colour = "black";
  std::vector<double> dashes;
  double width = 1.0;
};

std::vector<double> numbers(py::handle value) {
  auto items = py::reinterpret_borrow<py::list>(value);
  std::vector<double> out;
  out.reserve(items.size());
  for (py::handle item : items) out.push_back(item.cast<double>());
  return out;
}

Style parse_style(const py::kwargs& options) {
  Style style;
  for (auto [key, value] : options) {
    const std::string name = py::cast<std::string>(key);
    if (name == "colour") {
      style.colour = value.cast<std::string>();
    } else if (name == "width") {
      style.width = value.cast<double>();
    } else if (name == "dashes") {
      style.dashes = numbers(value);
    } else {
      throw py::type_error("unknown style option: " + name);
    }
  }
  return style;
}

class Canvas {
 public:
  void line(double x0, double y0, double x1, double y1, const py::kwargs& options) {
    segments_.push_back({x0, y0, x1, y1, parse_style(options)});
  }
  size_t size() const { return segments_.size(); }

 private:
  struct Segment {
    double x0, y0, x1, y1;
    Style style;
  };
  std::vector<Segment> segments_;
};

}  // namespace plot

PYBIND11_MODULE(_plot, m) {
  py::class_<plot::Canvas>(m, "Canvas")
      .def(py::init<>())
      .def("line", &plot::Canvas::line)
      .def("__len__", &plot::Canvas::size);
}
