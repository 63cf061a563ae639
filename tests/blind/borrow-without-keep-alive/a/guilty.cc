#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace py = pybind11;

namespace store {

struct Row {
  int64_t id;
  std::string payload;
};

class Table;

class Cursor {
 public:
  Cursor(const Table* table, std::string needle) : table_(table), needle_(std::move(needle)) {}
  std::optional<Row> next();

 private:
  const Table* table_;
  std::string needle_;
  size_t at_ = 0;
};

class Table {
 public:
  void insert(int64_t id, std::string payload) { rows_.push_back({id, std::move(payload)}); }
  Cursor select(const std::string& needle) const { return Cursor(this, needle); }
  size_t size() const { return rows_.size(); }
  const Row& row(size_t i) const { return rows_[i]; }

 private:
  std::vector<Row> rows_;
};

std::optional<Row> Cursor::next() {
  while (at_ < table_->size()) {
    const Row& row = table_->row(at_++);
    if (row.payload.find(needle_) != std::string::npos) return row;
  }
  return std::nullopt;
}

}  // namespace store

PYBIND11_MODULE(_store, m) {
  using namespace store;
  py::class_<Row>(m, "Row").def_readonly("id", &Row::id).def_readonly("payload", &Row::payload);
  py::class_<Cursor>(m, "Cursor")
      .def("__iter__", [](py::object self) { return self; })
      .def("__next__", [](Cursor& c) {
        auto row = c.next();
        if (!row) throw py::stop_iteration();
        return *row;
      });
  py::class_<Table>(m, "Table")
      .def(py::init<>())
      .def("insert", &Table::insert)
      .def("__len__", &Table::size)
      .def("select", &Table::select, py::arg("needle"));
}
