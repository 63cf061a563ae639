// Python module `lob`.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "lob/order_book.h"

namespace py = pybind11;

PYBIND11_MODULE(lob, m) {
  py::enum_<lob::Side>(m, "Side")
      .value("BID", lob::Side::kBid)
      .value("ASK", lob::Side::kAsk);

  py::class_<lob::PriceLevel>(m, "PriceLevel")
      .def_property_readonly("total", &lob::PriceLevel::total)
      .def("__bool__", [](const lob::PriceLevel& level) { return !level.empty(); });

  py::class_<lob::OrderBook>(m, "OrderBook")
      .def(py::init<>())
      .def("submit", &lob::OrderBook::Submit, py::arg("side"), py::arg("limit"),
           py::arg("quantity"))
      .def("level_at", &lob::OrderBook::LevelAt, py::arg("price"))
      .def_property_readonly("best_bid", &lob::OrderBook::BestBid)
      .def_property_readonly("best_ask", &lob::OrderBook::BestAsk)
      .def_property_readonly("bid_depth", &lob::OrderBook::BidDepth);
}
