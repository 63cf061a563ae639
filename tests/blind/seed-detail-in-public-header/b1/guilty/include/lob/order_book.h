// Order book of one instrument.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>

namespace lob {

using Price = int64_t;
using Quantity = int64_t;
enum class Side { kBid, kAsk };

// Resting orders at one price.
class PriceLevel {
 public:
  void Add(Quantity q) { total_ += q; }
  Quantity Take(Quantity wanted);
  bool empty() const { return total_ == 0; }
  Quantity total() const { return total_; }

 private:
  Quantity total_ = 0;
};

class OrderBook {
 public:
  // Matches what it can and rests the remainder; returns the filled quantity.
  Quantity Submit(Side side, Price limit, Quantity quantity);

  std::optional<Price> BestBid() const;
  std::optional<Price> BestAsk() const;
  Quantity BidDepth() const;

 private:
  std::map<Price, PriceLevel, std::greater<Price>> bids_;
  std::map<Price, PriceLevel> asks_;
};

}  // namespace lob
