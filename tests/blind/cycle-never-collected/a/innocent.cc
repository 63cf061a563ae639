#include <pybind11/pybind11.h>

#include <string>
#include <vector>

namespace py = pybind11;

namespace ui {

class Button {
 public:
  explicit Button(std::string label) : label(std::move(label)) {}

  void click() {
    ++clicks;
    if (on_click && !on_click.is_none()) on_click(clicks);
  }
  void show() { visible = true; }
  void hide() { visible = false; }

  std::string label;
  py::object on_click;
  bool visible = true;
  int clicks = 0;
};

py::object get_on_click(const Button& b) { return b.on_click ? b.on_click : py::none(); }

void set_on_click(Button& b, py::object fn) {
  if (!fn.is_none() && !PyCallable_Check(fn.ptr())) throw py::type_error("on_click is called");
  b.on_click = std::move(fn);
}

}  // namespace ui

PYBIND11_MODULE(_ui, m) {
  using ui::Button;
  py::class_<Button>(m, "Button", py::custom_type_setup([](PyHeapTypeObject* heap) {
    PyTypeObject* type = &heap->as_type;
    type->tp_flags |= Py_TPFLAGS_HAVE_GC;
    type->tp_traverse = [](PyObject* self, visitproc visit, void* arg) {
#if PY_VERSION_HEX >= 0x03090000
      Py_VISIT(Py_TYPE(self));
#endif
      if (py::detail::is_holder_constructed(self)) {
        auto& b = py::cast<Button&>(py::handle(self));
        Py_VISIT(b.on_click.ptr());
      }
      return 0;
    };
    type->tp_clear = [](PyObject* self) {
      if (py::detail::is_holder_constructed(self)) {
        py::cast<Button&>(py::handle(self)).on_click = py::object();
      }
      return 0;
    };
  }))
      .def(py::init<std::string>(), py::arg("label"))
      .def("click", &Button::click)
      .def("show", &Button::show)
      .def("hide", &Button::hide)
      .def_readwrite("label", &Button::label)
      .def_readonly("visible", &Button::visible)
      .def_property("on_click", &ui::get_on_click, &ui::set_on_click);
}
