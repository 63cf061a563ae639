#ifndef MERIDIAN_SRC_OCCUPANCY_GRID_INTERNAL_H_
#define MERIDIAN_SRC_OCCUPANCY_GRID_INTERNAL_H_

#include <utility>
#include <vector>

#include "meridian/geometry.h"

namespace meridian {

// Buckets of occupied areas, for finding overlaps in near constant time.
class OccupancyGrid {
 public:
  OccupancyGrid(double width, double height, double cell_size);

  // Marks `area` as used, unless it overlaps one that already is.
  bool TryOccupy(const Rect& area);
  void Clear();

 private:
  std::pair<int, int> CellAt(double x, double y) const;

  double cell_size_;
  int columns_;
  int rows_;
  std::vector<std::vector<Rect>> cells_;
};

}  // namespace meridian

#endif  // MERIDIAN_SRC_OCCUPANCY_GRID_INTERNAL_H_
