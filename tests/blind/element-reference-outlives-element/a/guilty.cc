#include <pybind11/pybind11.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace py = pybind11;

namespace seq {

struct Note {
  uint8_t pitch = 60;
  uint8_t velocity = 100;
  double start = 0;
  double length = 1;
};

class Track {
 public:
  void append(const Note& n) { notes_.push_back(n); }
  void remove(size_t i) { notes_.erase(notes_.begin() + static_cast<ptrdiff_t>(checked(i))); }
  Note& at(size_t i) { return notes_[checked(i)]; }
  size_t size() const { return notes_.size(); }

  double length() const {
    double end = 0;
    for (const Note& n : notes_) end = std::max(end, n.start + n.length);
    return end;
  }

 private:
  size_t checked(size_t i) const {
    if (i >= notes_.size()) throw py::index_error();
    return i;
  }
  std::vector<Note> notes_;
};

}  // namespace seq

PYBIND11_MODULE(_seq, m) {
  using namespace seq;
  py::class_<Note>(m, "Note")
      .def(py::init<>())
      .def_readwrite("pitch", &Note::pitch)
      .def_readwrite("velocity", &Note::velocity)
      .def_readwrite("start", &Note::start)
      .def_readwrite("length", &Note::length);
  py::class_<Track>(m, "Track")
      .def(py::init<>())
      .def("append", &Track::append, py::arg("note"))
      .def("__delitem__", &Track::remove)
      .def("__getitem__", &Track::at, py::return_value_policy::reference_internal)
      .def("__len__", &Track::size)
      .def_property_readonly("length", &Track::length);
}
