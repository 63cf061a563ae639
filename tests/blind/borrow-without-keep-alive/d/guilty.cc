// Python bindings of the pileup index (one column per covered reference position).
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

namespace py = pybind11;

namespace pileup {

struct Column {
    uint32_t depth = 0;
    uint32_t mismatches = 0;
};

class PileupIndex {
public:
    explicit PileupIndex(std::string contig) : contig_(std::move(contig)) {}

    void add(int64_t position, bool mismatch) {
        Column &column = columns_[position];
        column.depth += 1;
        column.mismatches += mismatch ? 1 : 0;
    }

    Column at(int64_t position) const {
        auto it = columns_.find(position);
        if (it == columns_.end())
            throw py::key_error("position is not covered");
        return it->second;
    }

    const std::map<int64_t, Column> &columns() const { return columns_; }
    const std::string &contig() const { return contig_; }

private:
    std::string contig_;
    std::map<int64_t, Column> columns_;
};

// All sorted tables of this module are walked in the same two ways.
template <typename Table>
py::iterator walk_positions(const Table &table) {
    return py::make_key_iterator(table.begin(), table.end());
}

template <typename Table>
py::iterator walk_columns(const Table &table) {
    return py::make_iterator(table.begin(), table.end());
}

void bind_pileup(py::module_ &m) {
    py::class_<Column>(m, "Column")
        .def_readonly("depth", &Column::depth)
        .def_readonly("mismatches", &Column::mismatches);

    py::class_<PileupIndex>(m, "PileupIndex")
        .def(py::init<std::string>(), py::arg("contig"))
        .def("add", &PileupIndex::add, py::arg("position"), py::arg("mismatch") = false)
        .def("__getitem__", &PileupIndex::at)
        .def("__len__", [](const PileupIndex &index) { return index.columns().size(); })
        .def_property_readonly("contig", [](const PileupIndex &index) { return index.contig(); })
        .def("items", [](const PileupIndex &index) { return walk_columns(index.columns()); },
             py::keep_alive<0, 1>())
        .def("__iter__", [](const PileupIndex &index) { return walk_positions(index.columns()); });
}

}  // namespace pileup

PYBIND11_MODULE(_pileup, m) {
    m.doc() = "Per-position read depth";
    pileup::bind_pileup(m);
}
