#include <cassert>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace layout {

using Index = std::vector<int64_t>;

struct Axis {
  int64_t extent = 1;
  int64_t stride = 1;
  std::string name;
};

class TiledLayout {
 public:
  explicit TiledLayout(std::vector<Axis> axes) : axes_(std::move(axes)) {}

  // Dense row-major layout of the given extents.
  static TiledLayout rowMajor(const Index &extents) {
    std::vector<Axis> axes(extents.size());
    int64_t stride = 1;
    for (size_t i = extents.size(); i-- > 0;) {
      axes[i].extent = extents[i];
      axes[i].stride = stride;
      stride *= extents[i];
    }
    return TiledLayout(std::move(axes));
  }

  int64_t rank() const { return static_cast<int64_t>(axes_.size()); }

  int64_t numElements() const {
    return std::accumulate(
        axes_.begin(), axes_.end(), int64_t{1},
        [](int64_t total, const Axis &axis) { return total * axis.extent; });
  }

  // Offset of the element at `index`, or nothing if it is out of bounds.
  std::optional<int64_t> linearize(const Index &index) const {
    assert(index.size() == axes_.size());
    int64_t offset = 0;
    for (size_t i = 0; i < axes_.size(); ++i) {
      const Axis &axis = axes_[i];
      if (index[i] < 0 || index[i] >= axis.extent) return std::nullopt;
      offset += index[i] * axis.stride;
    }
    return offset;
  }

  std::optional<size_t> axisNamed(const std::string &name) const {
    for (size_t i = 0; i < axes_.size(); ++i) {
      if (axes_[i].name == name) return i;
    }
    return std::nullopt;
  }

 private:
  std::vector<Axis> axes_;
};

}  // namespace layout
