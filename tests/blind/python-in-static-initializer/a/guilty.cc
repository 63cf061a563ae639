#include <pybind11/pybind11.h>

#include <cstdint>
#include <string>
#include <vector>

namespace py = pybind11;

namespace ledger {

struct Amount {
  int64_t units = 0;
  int scale = 2;
};

py::handle decimal_type() {
  static py::handle type =
      py::module_::import("decimal").attr("Decimal").release();
  return type;
}

std::string digits(const Amount& a) {
  std::string text = std::to_string(a.units);
  return text + "E-" + std::to_string(a.scale);
}

py::object to_decimal(const Amount& a) { return decimal_type()(digits(a)); }

class Account {
 public:
  void post(int64_t units) { entries_.push_back({units, 2}); }
  py::object balance() const {
    Amount total;
    for (const auto& e : entries_) total.units += e.units;
    return to_decimal(total);
  }
  py::list entries() const {
    py::list out;
    for (const auto& e : entries_) out.append(to_decimal(e));
    return out;
  }

 private:
  std::vector<Amount> entries_;
};

}  // namespace ledger

PYBIND11_MODULE(_ledger, m) {
  using ledger::Account;
  py::class_<Account>(m, "Account")
      .def(py::init<>())
      .def("post", &Account::post)
      .def("balance", &Account::balance)
      .def("entries", &Account::entries);
}
