#ifndef MERIDIAN_MAP_LABELER_H_
#define MERIDIAN_MAP_LABELER_H_

#include <memory>
#include <string>
#include <vector>

#include "meridian/geometry.h"

namespace meridian {

// A text to be shown at a place of the map.
struct Label {
  std::string text;
  Point anchor;
  int priority = 0;
};

// A label together with the area that was found for it.
struct PlacedLabel {
  Label label;
  Rect area;
};

class OccupancyGrid;

// Decides which labels of a map view are shown, and where.
class MapLabeler {
 public:
  MapLabeler(double view_width, double view_height);
  ~MapLabeler();

  MapLabeler(const MapLabeler&) = delete;
  MapLabeler& operator=(const MapLabeler&) = delete;

  // Places labels by descending priority; those without room are left out.
  std::vector<PlacedLabel> Place(std::vector<Label> labels);

 private:
  std::unique_ptr<OccupancyGrid> grid_;
};

}  // namespace meridian

#endif  // MERIDIAN_MAP_LABELER_H_
