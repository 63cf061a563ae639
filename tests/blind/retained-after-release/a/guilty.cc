#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace py = pybind11;

namespace {

struct Cursor {
  std::string_view data;
  std::size_t at = 0;

  bool ReadSize(std::size_t* size) {
    if (at + 2 > data.size()) return false;
    *size = static_cast<std::size_t>(static_cast<unsigned char>(data[at])) << 8 |
            static_cast<unsigned char>(data[at + 1]);
    at += 2;
    return true;
  }
  bool Take(std::size_t size, std::string_view* out) {
    if (size > data.size() - at) return false;
    *out = data.substr(at, size);
    at += size;
    return true;
  }
};

py::bytes make_record(std::string_view body) { return py::bytes(body.data(), body.size()); }

std::vector<py::object> split_records(const std::string& block) {
  std::vector<py::object> records;
  Cursor cursor{block};
  std::size_t size = 0;
  while (cursor.ReadSize(&size)) {
    std::string_view body;
    if (!cursor.Take(size, &body)) throw py::value_error("truncated record");
    py::bytes record = make_record(body);
    records.push_back(py::reinterpret_borrow<py::object>(record.release()));
  }
  if (cursor.at != block.size()) throw py::value_error("trailing bytes");
  return records;
}

}  // namespace

PYBIND11_MODULE(_records, m) {
  m.def("split_records", [](const py::bytes& block) {
    py::list out;
    for (py::object& record : split_records(block)) out.append(record);
    return out;
  });
}
