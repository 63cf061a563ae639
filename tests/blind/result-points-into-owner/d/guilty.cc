// Sheet music: a Score finds its recurring motifs.
#include <algorithm>
#include <cstddef>
#include <vector>

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

namespace py = pybind11;

struct Note {
    int pitch = 60;
    int ticks = 480;
    bool operator==(const Note &o) const { return pitch == o.pitch && ticks == o.ticks; }
};

// Any run of notes that can be measured and transposed.
class Passage {
public:
    std::size_t size() const { return notes().size(); }

    int duration() const {
        int total = 0;
        for (const Note &note : notes())
            total += note.ticks;
        return total;
    }

protected:
    explicit Passage(const std::vector<Note> &notes) : notes_(notes) {}
    const std::vector<Note> &notes() const { return notes_; }

private:
    const std::vector<Note> &notes_;
};

class Motif : public Passage {
public:
    Motif(const std::vector<Note> &notes, std::size_t start, std::size_t length)
        : Passage(notes), start_(start), length_(length) {}

    int repeats() const {
        auto first = notes().begin() + start_;
        int found = 0;
        for (auto at = notes().begin(); notes().end() - at >= length_; ++at)
            found += std::equal(first, first + length_, at) ? 1 : 0;
        return found;
    }

private:
    std::ptrdiff_t start_, length_;
};

class Score {
public:
    void append(int pitch, int ticks) { notes_.push_back(Note{pitch, ticks}); }

    Motif motif(std::size_t start, std::size_t length) const {
        if (start > notes_.size() || length > notes_.size() - start)
            throw py::index_error("the motif leaves the score");
        return Motif(notes_, start, length);
    }

private:
    std::vector<Note> notes_;
};

PYBIND11_MODULE(_score, m) {
    py::class_<Motif>(m, "Motif")
        .def_property_readonly("repeats", &Motif::repeats)
        .def_property_readonly("duration", [](const Motif &motif) { return motif.duration(); });
    py::class_<Score>(m, "Score")
        .def(py::init<>())
        .def("append", &Score::append, py::arg("pitch"), py::arg("ticks") = 480)
        .def("motif", &Score::motif, py::arg("start"), py::arg("length"));
}
