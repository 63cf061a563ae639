#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

struct Order {
  uint64_t id = 0;
  int64_t price = 0;
  int64_t quantity = 0;
  int64_t expires = 0;
};

struct Fill {
  uint64_t maker = 0;
  int64_t price = 0;
  int64_t quantity = 0;
};

class OrderBook {
 public:
  void Add(Order order) { asks_.push_back(std::move(order)); }

  Fill Match(int64_t limit, int64_t wanted, int64_t now) {
    auto best = Cheapest();
    if (best == asks_.end() || best->price > limit) return {};
    PurgeExpired(now);
    if (asks_.empty()) return {};

    const int64_t filled = std::min(wanted, best->quantity);
    best->quantity -= filled;
    Fill fill{best->id, best->price, filled};
    if (best->quantity == 0) asks_.erase(best);
    return fill;
  }

  std::size_t depth() const { return asks_.size(); }

 private:
  std::vector<Order>::iterator Cheapest() {
    return std::min_element(asks_.begin(), asks_.end(),
                            [](const Order& a, const Order& b) { return a.price < b.price; });
  }

  void PurgeExpired(int64_t now) {
    asks_.erase(std::remove_if(asks_.begin(), asks_.end(),
                               [now](const Order& o) { return o.expires <= now; }),
                asks_.end());
  }

  std::vector<Order> asks_;
};
