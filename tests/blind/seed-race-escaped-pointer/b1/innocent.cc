// Level-2 market depth for Python strategies.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <utility>

namespace py = pybind11;

namespace depth {

using Ticks = int64_t;
using BidLevels = std::map<Ticks, int64_t, std::greater<Ticks>>;

class DepthView {
 public:
  explicit DepthView(BidLevels bids) : bids_(std::move(bids)) {}

  std::optional<std::pair<Ticks, int64_t>> BestBid() const {
    if (bids_.empty()) return std::nullopt;
    return *bids_.begin();
  }

  int64_t SizeAbove(Ticks limit) const {
    int64_t total = 0;
    for (const auto& [price, size] : bids_) {
      if (price < limit) break;
      total += size;
    }
    return total;
  }

 private:
  const BidLevels bids_;
};

class QuoteBoard {
 public:
  // Called by the feed handler's thread for every depth message.
  void OnBid(Ticks price, int64_t size) {
    std::unique_lock lock(mu_);
    if (size == 0) {
      bids_.erase(price);
    } else {
      bids_[price] = size;
    }
    ++sequence_;
  }

  uint64_t Sequence() const {
    std::shared_lock lock(mu_);
    return sequence_;
  }

  std::unique_ptr<DepthView> View() const {
    std::shared_lock lock(mu_);
    return std::make_unique<DepthView>(bids_);
  }

 private:
  mutable std::shared_mutex mu_;
  BidLevels bids_;
  uint64_t sequence_ = 0;
};

}  // namespace depth

PYBIND11_MODULE(_depth, m) {
  using namespace depth;
  using NoGil = py::call_guard<py::gil_scoped_release>;
  py::class_<DepthView>(m, "DepthView")
      .def("best_bid", &DepthView::BestBid, NoGil())
      .def("size_above", &DepthView::SizeAbove, py::arg("limit"), NoGil());
  py::class_<QuoteBoard>(m, "QuoteBoard")
      .def(py::init<>())
      .def("on_bid", &QuoteBoard::OnBid, NoGil())
      .def("sequence", &QuoteBoard::Sequence, NoGil())
      .def("view", &QuoteBoard::View, py::keep_alive<0, 1>(), NoGil());
}
