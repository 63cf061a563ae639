#include "lob/order_book.h"

#include <algorithm>

namespace lob {

Quantity PriceLevel::Take(Quantity wanted) {
  const Quantity taken = std::min(wanted, total_);
  total_ -= taken;
  return taken;
}

namespace {

template <typename Levels, typename Crosses>
Quantity Match(Levels& levels, Quantity quantity, Crosses crosses) {
  Quantity filled = 0;
  while (filled < quantity && !levels.empty() && crosses(levels.begin()->first)) {
    filled += levels.begin()->second.Take(quantity - filled);
    if (levels.begin()->second.empty()) levels.erase(levels.begin());
  }
  return filled;
}

}  // namespace

Quantity OrderBook::Submit(Side side, Price limit, Quantity quantity) {
  Quantity filled = 0;
  if (side == Side::kBid) {
    filled = Match(asks_, quantity, [&](Price p) { return p <= limit; });
    if (filled < quantity) bids_[limit].Add(quantity - filled);
  } else {
    filled = Match(bids_, quantity, [&](Price p) { return p >= limit; });
    if (filled < quantity) asks_[limit].Add(quantity - filled);
  }
  return filled;
}

std::optional<Price> OrderBook::BestBid() const {
  if (bids_.empty()) return std::nullopt;
  return bids_.begin()->first;
}

std::optional<Price> OrderBook::BestAsk() const {
  if (asks_.empty()) return std::nullopt;
  return asks_.begin()->first;
}

Quantity OrderBook::BidDepth() const {
  Quantity depth = 0;
  for (const auto& [price, level] : bids_) depth += level.total();
  return depth;
}

}  // namespace lob
