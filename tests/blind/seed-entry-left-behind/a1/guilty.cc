// Workbooks for Python: one Sheet object per native sheet.
#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <pybind11/pybind11.h>

namespace py = pybind11;

namespace calc {

struct Sheet {
  std::string title;
  std::map<std::pair<int, int>, double> cells;
};

class Workbook {
public:
  Sheet *add(std::string title) {
    return sheets_.emplace_back(std::make_unique<Sheet>(Sheet{std::move(title), {}})).get();
  }
  Sheet *find(const std::string &title) const {
    auto it = std::find_if(sheets_.begin(), sheets_.end(),
                           [&](const auto &s) { return s->title == title; });
    return it == sheets_.end() ? nullptr : it->get();
  }
  void remove(const Sheet *sheet) {
    std::erase_if(sheets_, [=](const auto &s) { return s.get() == sheet; });
  }

private:
  std::vector<std::unique_ptr<Sheet>> sheets_;
};

}  // namespace calc

class PyWorkbook;

class PySheet {
public:
  PySheet(std::shared_ptr<PyWorkbook> book, calc::Sheet *sheet)
      : book_(std::move(book)), sheet_(sheet) {}

  double get(int row, int col) const {
    const auto &cells = sheet().cells;
    auto it = cells.find({row, col});
    return it == cells.end() ? 0.0 : it->second;
  }
  void set(int row, int col, double value) { sheet().cells[{row, col}] = value; }
  std::string title() const { return sheet().title; }
  void invalidate() { sheet_ = nullptr, book_.reset(); }

private:
  calc::Sheet &sheet() const {
    if (!sheet_)
      throw py::value_error("the sheet has been removed from its workbook");
    return *sheet_;
  }

  std::shared_ptr<PyWorkbook> book_;
  calc::Sheet *sheet_;
};

class PyWorkbook : public std::enable_shared_from_this<PyWorkbook> {
public:
  std::shared_ptr<PySheet> add(const std::string &title) {
    if (book_.find(title))
      throw py::value_error("duplicate sheet title: " + title);
    return sheetFor(book_.add(title));
  }
  std::shared_ptr<PySheet> at(const std::string &title) { return sheetFor(require(title)); }
  void remove(const std::string &title) {
    calc::Sheet *sheet = require(title);
    if (auto live = live_.find(sheet); live != live_.end()) {
      if (auto wrapper = live->second.lock())
        wrapper->invalidate();
    }
    book_.remove(sheet);
  }

private:
  calc::Sheet *require(const std::string &title) const {
    if (calc::Sheet *sheet = book_.find(title))
      return sheet;
    throw py::key_error(title);
  }
  std::shared_ptr<PySheet> sheetFor(calc::Sheet *sheet) {
    std::weak_ptr<PySheet> &slot = live_[sheet];
    std::shared_ptr<PySheet> wrapper = slot.lock();
    if (!wrapper) {
      wrapper = std::make_shared<PySheet>(shared_from_this(), sheet);
      slot = wrapper;
    }
    return wrapper;
  }

  calc::Workbook book_;
  std::unordered_map<const calc::Sheet *, std::weak_ptr<PySheet>> live_;
};

PYBIND11_MODULE(calc, m) {
  py::class_<PySheet, std::shared_ptr<PySheet>>(m, "Sheet")
      .def_property_readonly("title", &PySheet::title)
      .def("get", &PySheet::get)
      .def("set", &PySheet::set);
  py::class_<PyWorkbook, std::shared_ptr<PyWorkbook>>(m, "Workbook")
      .def(py::init<>())
      .def("add", &PyWorkbook::add)
      .def("__getitem__", &PyWorkbook::at)
      .def("__delitem__", &PyWorkbook::remove);
}
