// Sprite atlas of the platform game's level editor.
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

namespace py = pybind11;

struct Rect {
  int x = 0;
  int y = 0;
  int width = 0;
  int height = 0;
};

class Sprite {
 public:
  Sprite(std::string name, Rect area) : name_(std::move(name)), area_(area) {}
  const std::string &name() const { return name_; }
  const Rect &area() const { return area_; }
  void move_to(int x, int y) {
    area_.x = x;
    area_.y = y;
  }

 private:
  std::string name_;
  Rect area_;
};

class Atlas {
 public:
  Sprite &place(const std::string &name, const Rect &area) {
    std::unique_ptr<Sprite> &slot = sprites_[name];
    if (slot) throw std::invalid_argument("sprite exists: " + name);
    slot = std::make_unique<Sprite>(name, area);
    return *slot;
  }
  Sprite *sprite(const std::string &name) {
    auto found = sprites_.find(name);
    return found == sprites_.end() ? nullptr : found->second.get();
  }
  std::size_t size() const { return sprites_.size(); }

 private:
  std::map<std::string, std::unique_ptr<Sprite>> sprites_;
};

PYBIND11_MODULE(_atlas, m) {
  py::class_<Rect>(m, "Rect")
      .def(py::init<>())
      .def_readwrite("x", &Rect::x)
      .def_readwrite("y", &Rect::y)
      .def_readwrite("width", &Rect::width)
      .def_readwrite("height", &Rect::height);

  py::class_<Sprite>(m, "Sprite")
      .def_property_readonly("name", &Sprite::name)
      .def_property_readonly("area", &Sprite::area)
      .def("move_to", &Sprite::move_to, py::arg("x"), py::arg("y"));

  py::class_<Atlas>(m, "Atlas")
      .def(py::init<>())
      .def("__len__", &Atlas::size)
      .def("place", &Atlas::place, py::arg("name"), py::arg("area"),
           py::return_value_policy::reference_internal)
      .def("sprite", &Atlas::sprite, py::arg("name"),
           py::return_value_policy::reference_internal);
}
