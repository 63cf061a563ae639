#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <cstdint>
#include <string>
#include <vector>

namespace nb = nanobind;

namespace bgp {

struct Prefix {
  uint32_t address = 0;
  uint8_t length = 0;
};

class RouteTable {
 public:
  void load(nb::object source) {
    nb::object rows = source.attr("routes")();
    for (nb::handle row : rows) {
      if (row.is_none()) continue;
      entries_.push_back(decode(row));
    }
  }

  size_t size() const { return entries_.size(); }

  int match(uint32_t address) const {
    int best = -1, bits = -1;
    for (const Entry& e : entries_) {
      const uint32_t mask = e.prefix.length ? ~uint32_t(0) << (32 - e.prefix.length) : 0;
      if ((address & mask) == (e.prefix.address & mask) && e.prefix.length > bits) {
        best = e.port;
        bits = e.prefix.length;
      }
    }
    return best;
  }

 private:
  struct Entry {
    Prefix prefix;
    int port;
  };

  static Entry decode(nb::handle row) {
    if (!nb::isinstance<nb::tuple>(row)) throw nb::type_error("a route is a tuple");
    nb::tuple fields = nb::borrow<nb::tuple>(row);
    if (fields.size() != 3) throw nb::value_error("a route has an address, a length and a port");
    Entry e;
    e.prefix.address = nb::cast<uint32_t>(fields[0]);
    e.prefix.length = nb::cast<uint8_t>(fields[1]);
    if (e.prefix.length > 32) throw nb::value_error("a prefix has 32 bits at most");
    e.port = nb::cast<int>(fields[2]);
    return e;
  }

  std::vector<Entry> entries_;
};

}  // namespace bgp

NB_MODULE(_bgp, m) {
  nb::class_<bgp::RouteTable>(m, "RouteTable")
      .def(nb::init<>())
      .def("load", &bgp::RouteTable::load, nb::arg("source"))
      .def("match", &bgp::RouteTable::match, nb::arg("address"))
      .def("__len__", &bgp::RouteTable::size);
}
