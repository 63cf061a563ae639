// CAD bodies for Python scripts.
#include <array>
#include <memory>
#include <stdexcept>
#include <string>
#include <unordered_map>

#include <pybind11/pybind11.h>

namespace py = pybind11;

namespace cad {

struct Body {
  std::string name;
  std::array<double, 3> size{1, 1, 1};
  int material = 0;
  double volume() const { return size[0] * size[1] * size[2]; }
};

class Design {
public:
  Body *box(const std::string &name) {
    return (bodies_[name] = std::make_unique<Body>(Body{name})).get();
  }
  bool has(const std::string &name) const { return bodies_.count(name) != 0; }
  void drop(const std::string &name) { bodies_.erase(name); }

private:
  std::unordered_map<std::string, std::unique_ptr<Body>> bodies_;
};

}  // namespace cad

class PyDesign;

class PyBody {
public:
  PyBody(std::shared_ptr<PyDesign> design, cad::Body *body)
      : design(std::move(design)), body(body) {}
  ~PyBody();

  void checkValid() const {
    if (!valid)
      throw std::runtime_error("the body has been deleted");
  }

  std::string getName() const {
    checkValid();
    return body->name;
  }
  double getVolume() const {
    checkValid();
    return body->volume();
  }
  int getMaterial() const {
    checkValid();
    return body->material;
  }
  void setMaterial(int material) {
    checkValid();
    if (material < 0)
      throw py::value_error("materials are counted from 0");
    body->material = material;
  }

  void scale(double factor) {
    if (factor <= 0)
      throw py::value_error("the factor must be positive");
    for (double &extent : body->size)
      extent *= factor;
  }

  void remove();

private:
  std::shared_ptr<PyDesign> design;
  cad::Body *body;
  bool valid = true;
};

struct PyDesign : std::enable_shared_from_this<PyDesign> {
  std::shared_ptr<PyBody> box(const std::string &name) {
    if (design.has(name))
      throw py::key_error(name + " exists");
    cad::Body *body = design.box(name);
    auto wrapper = std::make_shared<PyBody>(shared_from_this(), body);
    liveBodies[body] = wrapper.get();
    return wrapper;
  }

  cad::Design design;
  std::unordered_map<const cad::Body *, PyBody *> liveBodies;
};

PyBody::~PyBody() {
  if (valid)
    design->liveBodies.erase(body);
}

void PyBody::remove() {
  checkValid();
  const std::string name = body->name;
  design->liveBodies.erase(body);
  valid = false;
  design->design.drop(name);
}

PYBIND11_MODULE(cad, m) {
  py::class_<PyBody, std::shared_ptr<PyBody>>(m, "Body")
      .def_property_readonly("name", &PyBody::getName)
      .def_property_readonly("volume", &PyBody::getVolume)
      .def_property("material", &PyBody::getMaterial, &PyBody::setMaterial)
      .def("scale", &PyBody::scale)
      .def("remove", &PyBody::remove);
  py::class_<PyDesign, std::shared_ptr<PyDesign>>(m, "Design")
      .def(py::init<>())
      .def("box", &PyDesign::box);
}
