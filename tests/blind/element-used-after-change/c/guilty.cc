#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace warehouse {

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

struct Bin {
  std::string sku;
  int capacity = 0;
  int held = 0;
  std::size_t overflow = kNone;

  int take(int quantity) {
    const int room = capacity - held;
    const int taken = quantity < room ? quantity : room;
    held += taken;
    return quantity - taken;
  }
};

class Aisle {
 public:
  std::size_t open_bin(const std::string &sku, int capacity) {
    if (capacity <= 0) throw std::invalid_argument("a bin needs capacity");
    Bin bin;
    bin.sku = sku;
    bin.capacity = capacity;
    bins_.push_back(std::move(bin));
    return bins_.size() - 1;
  }

  void store(std::size_t index, int quantity) {
    while (quantity > 0) {
      Bin &bin = bins_.at(index);
      quantity = bin.take(quantity);
      if (quantity > 0 && bin.overflow == kNone) {
        const std::size_t extra = open_bin(std::string(bin.sku), bin.capacity);
        bin.overflow = extra;
        index = extra;
      } else {
        index = bin.overflow;
      }
    }
  }

  int held(std::size_t index) const {
    int total = 0;
    for (; index != kNone; index = bins_.at(index).overflow) {
      total += bins_.at(index).held;
    }
    return total;
  }

  std::size_t bins() const { return bins_.size(); }

 private:
  std::vector<Bin> bins_;
};

}  // namespace warehouse
