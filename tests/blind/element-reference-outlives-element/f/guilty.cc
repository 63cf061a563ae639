#include <pybind11/pybind11.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace py = pybind11;

namespace anim {

struct Keyframe {
  double time = 0.0;
  double value = 0.0;
  std::string easing = "linear";
};

// Keyframes ordered by time.
class Track {
 public:
  std::size_t size() const { return keys_.size(); }

  const Keyframe &at(py::ssize_t index) const { return keys_[Wrap(index)]; }

  void Insert(const Keyframe &key) {
    auto pos = std::upper_bound(
        keys_.begin(), keys_.end(), key,
        [](const Keyframe &a, const Keyframe &b) { return a.time < b.time; });
    keys_.insert(pos, key);
  }

  Keyframe Pop(py::ssize_t index) {
    auto pos = keys_.begin() + static_cast<std::ptrdiff_t>(Wrap(index));
    Keyframe key = std::move(*pos);
    keys_.erase(pos);
    return key;
  }

  void Clear() { keys_.clear(); }

 private:
  std::size_t Wrap(py::ssize_t index) const {
    const auto count = static_cast<py::ssize_t>(keys_.size());
    if (index < 0) index += count;
    if (index < 0 || index >= count) throw py::index_error("no such keyframe");
    return static_cast<std::size_t>(index);
  }

  std::vector<Keyframe> keys_;
};

void BindKeyframe(py::module_ &m) {
  py::class_<Keyframe>(m, "Keyframe")
      .def(py::init<double, double, std::string>(), py::arg("time"),
           py::arg("value"), py::arg("easing") = "linear")
      .def_readonly("time", &Keyframe::time)
      .def_readonly("value", &Keyframe::value)
      .def_property_readonly("easing",
                             [](const Keyframe &key) { return key.easing; });
}

void BindTrack(py::module_ &m) {
  py::class_<Track>(m, "Track")
      .def(py::init<>())
      .def("__len__", &Track::size)
      .def("__getitem__", &Track::at, py::arg("index"),
           py::return_value_policy::reference_internal)
      .def("insert", &Track::Insert, py::arg("key"))
      .def("pop", &Track::Pop, py::arg("index") = -1)
      .def("clear", &Track::Clear);
}

}  // namespace anim

PYBIND11_MODULE(_anim, m) {
  anim::BindKeyframe(m);
  anim::BindTrack(m);
}
