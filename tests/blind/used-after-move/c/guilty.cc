// Order intake of the bakery's scheduler.
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;
using namespace nb::literals;

struct Order {
  std::string customer;
  std::string recipe;
  int loaves = 0;
};

class Bakery {
 public:
  void submit(Order order) {
    if (order.loaves <= 0) throw std::invalid_argument("nothing to bake");
    oven_.push_back([this, order = std::move(order)] { bake(order); });
    totals_[order.customer] += order.loaves;
  }

  std::size_t run() {
    std::size_t done = 0;
    while (!oven_.empty()) {
      std::function<void()> task = std::move(oven_.front());
      oven_.pop_front();
      task();
      ++done;
    }
    return done;
  }

  const std::map<std::string, int> &totals() const { return totals_; }
  const std::vector<std::string> &journal() const { return journal_; }

 private:
  void bake(const Order &order) {
    journal_.push_back(order.recipe + " for " + order.customer);
  }

  std::deque<std::function<void()>> oven_;
  std::map<std::string, int> totals_;
  std::vector<std::string> journal_;
};

NB_MODULE(_bakery, m) {
  nb::class_<Bakery>(m, "Bakery")
      .def(nb::init<>())
      .def(
          "submit",
          [](Bakery &self, std::string customer, std::string recipe, int loaves) {
            self.submit(Order{std::move(customer), std::move(recipe), loaves});
          },
          "customer"_a, "recipe"_a, "loaves"_a = 1)
      .def("run", &Bakery::run)
      .def_prop_ro("totals", &Bakery::totals)
      .def_prop_ro("journal", &Bakery::journal);
}
