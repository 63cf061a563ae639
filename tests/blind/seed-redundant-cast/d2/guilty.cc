#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tradewind {

using OrderId = std::uint64_t;
using Ticks = std::int64_t;

enum class Side { kBuy, kSell };

struct Order {
  Order(OrderId id_in, Side side_in, std::uint32_t quantity_in)
      : id(id_in), side(side_in), open_quantity(quantity_in) {}
  virtual ~Order() = default;

  const OrderId id;
  const Side side;
  std::uint32_t open_quantity;
};

struct LimitOrder final : Order {
  LimitOrder(OrderId id_in, Side side_in, std::uint32_t quantity_in,
             Ticks price_in)
      : Order(id_in, side_in, quantity_in), price(price_in) {}
  Ticks price;
};

struct MarketOrder final : Order {
  using Order::Order;
};

using LimitOrderPtr = std::shared_ptr<LimitOrder>;

// Resting orders of one instrument, best price first.
class RestingBook {
 public:
  bool Add(LimitOrderPtr order) {
    if (!by_id_.emplace(order->id, order).second) return false;
    LevelsFor(order->side)[order->price].push_back(std::move(order));
    return true;
  }

  bool Contains(OrderId id) const { return by_id_.count(id) != 0; }

  std::optional<Ticks> BestBid() const {
    if (bids_.empty()) return std::nullopt;
    return bids_.rbegin()->first;
  }

  std::optional<Ticks> BestAsk() const {
    if (asks_.empty()) return std::nullopt;
    return asks_.begin()->first;
  }

  // Moves an order to another price; it loses its place in the queue.
  bool Reprice(OrderId id, Ticks new_price) {
    const auto found = by_id_.find(id);
    if (found == by_id_.end()) return false;
    LimitOrderPtr order = std::static_pointer_cast<LimitOrder>(found->second);
    RemoveFromLevel(*order);
    order->price = new_price;
    LevelsFor(order->side)[new_price].push_back(std::move(order));
    return true;
  }

  bool Cancel(OrderId id) {
    const auto found = by_id_.find(id);
    if (found == by_id_.end()) return false;
    RemoveFromLevel(*found->second);
    by_id_.erase(found);
    return true;
  }

 private:
  using Levels = std::map<Ticks, std::vector<LimitOrderPtr>>;

  Levels& LevelsFor(Side side) { return side == Side::kBuy ? bids_ : asks_; }

  void RemoveFromLevel(const LimitOrder& order) {
    Levels& levels = LevelsFor(order.side);
    const auto level = levels.find(order.price);
    if (level == levels.end()) return;
    auto& queue = level->second;
    for (auto it = queue.begin(); it != queue.end(); ++it) {
      if ((*it)->id == order.id) {
        queue.erase(it);
        break;
      }
    }
    if (queue.empty()) levels.erase(level);
  }

  Levels bids_;
  Levels asks_;
  std::unordered_map<OrderId, LimitOrderPtr> by_id_;
};

// Entry point of the gateway: decides where an incoming order goes.
class OrderRouter {
 public:
  using MarketHandler = std::function<void(const std::shared_ptr<Order>&)>;

  OrderRouter(RestingBook& book, MarketHandler on_market)
      : book_(book), on_market_(std::move(on_market)) {}

  bool Route(const std::shared_ptr<Order>& order) {
    if (order == nullptr || order->open_quantity == 0) return false;
    if (auto limit = std::dynamic_pointer_cast<LimitOrder>(order)) {
      return book_.Add(std::move(limit));
    }
    on_market_(order);
    return true;
  }

 private:
  RestingBook& book_;
  MarketHandler on_market_;
};

}  // namespace tradewind
