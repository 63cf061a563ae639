#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

struct Box {
  std::array<float, 3> lo{1e30f, 1e30f, 1e30f};
  std::array<float, 3> hi{-1e30f, -1e30f, -1e30f};

  void Grow(const Box& other) {
    for (int i = 0; i < 3; ++i) {
      lo[i] = std::min(lo[i], other.lo[i]);
      hi[i] = std::max(hi[i], other.hi[i]);
    }
  }
  int LongestAxis() const {
    int axis = 0;
    for (int i = 1; i < 3; ++i) {
      if (hi[i] - lo[i] > hi[axis] - lo[axis]) axis = i;
    }
    return axis;
  }
};

struct BvhNode {
  Box bounds;
  int32_t left = -1;
  int32_t right = -1;
  int32_t first = 0;
  int32_t count = 0;
};

class Bvh {
 public:
  explicit Bvh(std::vector<Box> boxes) : boxes_(std::move(boxes)) {
    if (!boxes_.empty()) BuildRange(0, static_cast<int32_t>(boxes_.size()));
  }
  const std::vector<BvhNode>& nodes() const { return nodes_; }

 private:
  int32_t NewNode(int32_t first, int32_t last) {
    BvhNode node;
    for (int32_t i = first; i < last; ++i) node.bounds.Grow(boxes_[i]);
    node.first = first;
    node.count = last - first;
    nodes_.push_back(node);
    return static_cast<int32_t>(nodes_.size()) - 1;
  }

  int32_t BuildRange(int32_t first, int32_t last) {
    const int32_t index = NewNode(first, last);
    BvhNode& node = nodes_[index];
    if (node.count <= 4) return index;

    const int axis = node.bounds.LongestAxis();
    const int32_t middle = first + (last - first) / 2;
    std::nth_element(boxes_.begin() + first, boxes_.begin() + middle, boxes_.begin() + last,
                     [axis](const Box& a, const Box& b) {
                       return a.lo[axis] + a.hi[axis] < b.lo[axis] + b.hi[axis];
                     });
    node.count = 0;
    const int32_t left = BuildRange(first, middle);
    const int32_t right = BuildRange(middle, last);
    nodes_[index].left = left;
    nodes_[index].right = right;
    return index;
  }

  std::vector<Box> boxes_;
  std::vector<BvhNode> nodes_;
};
