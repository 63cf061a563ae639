#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace py = pybind11;

namespace catalog {

class Table {
 public:
  Table(std::string name, std::vector<std::string> columns)
      : name_(std::move(name)), columns_(std::move(columns)) {}
  const std::string& name() const { return name_; }
  const std::vector<std::string>& columns() const { return columns_; }

 private:
  std::string name_;
  std::vector<std::string> columns_;
};

class Schema {
 public:
  std::shared_ptr<Table> create(const std::string& name, std::vector<std::string> columns) {
    auto table = std::make_shared<Table>(name, std::move(columns));
    tables_[name] = table;
    return table;
  }
  std::shared_ptr<Table> find(const std::string& name) const {
    auto it = tables_.find(name);
    return it == tables_.end() ? nullptr : it->second;
  }
  std::vector<std::shared_ptr<Table>> with_column(const std::string& column) const {
    std::vector<std::shared_ptr<Table>> out;
    for (const auto& [name, table] : tables_) {
      const auto& c = table->columns();
      if (std::find(c.begin(), c.end(), column) != c.end()) out.push_back(table);
    }
    return out;
  }

 private:
  std::map<std::string, std::shared_ptr<Table>> tables_;
};

}  // namespace catalog

PYBIND11_MODULE(_catalog, m) {
  using namespace catalog;
  py::class_<Table, std::shared_ptr<Table>>(m, "Table")
      .def_property_readonly("name", &Table::name)
      .def_property_readonly("columns", &Table::columns);
  py::class_<Schema>(m, "Schema")
      .def(py::init<>())
      .def("create", &Schema::create, py::arg("name"), py::arg("columns"))
      .def("find", &Schema::find, py::arg("name"))
      .def("with_column", &Schema::with_column, py::arg("column"));
}
