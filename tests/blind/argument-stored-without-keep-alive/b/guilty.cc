#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/trampoline.h>

#include <string>
#include <unordered_map>
#include <vector>

namespace nb = nanobind;

struct Order {
  std::string symbol;
  double price = 0;
  int quantity = 0;
};

class RiskRule {
 public:
  virtual ~RiskRule() = default;
  virtual bool accept(const Order& order) = 0;
};

class PyRiskRule : public RiskRule {
 public:
  NB_TRAMPOLINE(RiskRule, 1);
  bool accept(const Order& order) override { NB_OVERRIDE_PURE(accept, order); }
};

class Router {
 public:
  void bind(const std::string& symbol, RiskRule* rule) { rules_[symbol].push_back(rule); }

  bool submit(const Order& order) {
    auto it = rules_.find(order.symbol);
    if (it != rules_.end()) {
      for (RiskRule* rule : it->second)
        if (!rule->accept(order)) return false;
    }
    sent_ += 1;
    return true;
  }
  int sent() const { return sent_; }

 private:
  std::unordered_map<std::string, std::vector<RiskRule*>> rules_;
  int sent_ = 0;
};

NB_MODULE(_router, m) {
  nb::class_<Order>(m, "Order")
      .def(nb::init<>())
      .def_rw("symbol", &Order::symbol)
      .def_rw("price", &Order::price)
      .def_rw("quantity", &Order::quantity);
  nb::class_<RiskRule, PyRiskRule>(m, "RiskRule")
      .def(nb::init<>())
      .def("accept", &RiskRule::accept);
  nb::class_<Router>(m, "Router")
      .def(nb::init<>())
      .def("bind", &Router::bind, nb::arg("symbol"), nb::arg("rule"))
      .def("submit", &Router::submit)
      .def_prop_ro("sent", &Router::sent);
}
