#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace py = pybind11;

class Track {
 public:
  Track(std::string title, double seconds) : title_(std::move(title)), seconds_(seconds) {}
  const std::string& title() const { return title_; }
  double seconds() const { return seconds_; }

 private:
  std::string title_;
  double seconds_;
};

class Playlist {
 public:
  void append(const std::string& title, double seconds) {
    tracks_.push_back(std::make_shared<Track>(title, seconds));
  }
  std::shared_ptr<Track> track(std::size_t index) const { return tracks_.at(index); }
  double duration() const {
    double total = 0;
    for (const auto& t : tracks_) total += t->seconds();
    return total;
  }

 private:
  std::vector<std::shared_ptr<Track>> tracks_;
};

PYBIND11_MODULE(_player, m) {
  py::class_<Track>(m, "Track")
      .def("title", [](const Track& t) { return t.title(); })
      .def_property_readonly("seconds", &Track::seconds);

  py::class_<Playlist>(m, "Playlist")
      .def(py::init<>())
      .def("append", &Playlist::append, py::arg("title"), py::arg("seconds"))
      .def("track", &Playlist::track, py::arg("index"))
      .def_property_readonly("duration", &Playlist::duration);
}
