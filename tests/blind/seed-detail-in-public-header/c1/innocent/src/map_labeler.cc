#include "meridian/map_labeler.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "occupancy_grid_internal.h"

namespace meridian {
namespace {

constexpr double kGlyphWidth = 7.0;
constexpr double kLineHeight = 14.0;
constexpr double kCellSize = 64.0;

Rect AreaOf(const Label& label) {
  const double half = 0.5 * kGlyphWidth * static_cast<double>(label.text.size());
  return Rect{label.anchor.x - half, label.anchor.y - kLineHeight,
              label.anchor.x + half, label.anchor.y};
}

}  // namespace

OccupancyGrid::OccupancyGrid(double width, double height, double cell_size)
    : cell_size_(cell_size),
      columns_(std::max(1, static_cast<int>(std::ceil(width / cell_size)))),
      rows_(std::max(1, static_cast<int>(std::ceil(height / cell_size)))),
      cells_(static_cast<size_t>(columns_) * rows_) {}

std::pair<int, int> OccupancyGrid::CellAt(double x, double y) const {
  return {static_cast<int>(std::clamp(x / cell_size_, 0.0, columns_ - 1.0)),
          static_cast<int>(std::clamp(y / cell_size_, 0.0, rows_ - 1.0))};
}

bool OccupancyGrid::TryOccupy(const Rect& area) {
  const auto [left, top] = CellAt(area.left, area.top);
  const auto [right, bottom] = CellAt(area.right, area.bottom);
  for (int row = top; row <= bottom; ++row) {
    for (int column = left; column <= right; ++column) {
      for (const Rect& used : cells_[row * columns_ + column]) {
        if (used.Intersects(area)) return false;
      }
    }
  }
  for (int row = top; row <= bottom; ++row) {
    for (int column = left; column <= right; ++column) {
      cells_[row * columns_ + column].push_back(area);
    }
  }
  return true;
}

void OccupancyGrid::Clear() {
  for (auto& cell : cells_) cell.clear();
}

MapLabeler::MapLabeler(double view_width, double view_height)
    : grid_(std::make_unique<OccupancyGrid>(view_width, view_height,
                                            kCellSize)) {}

MapLabeler::~MapLabeler() = default;

std::vector<PlacedLabel> MapLabeler::Place(std::vector<Label> labels) {
  std::stable_sort(labels.begin(), labels.end(),
                   [](const Label& a, const Label& b) {
                     return a.priority > b.priority;
                   });
  grid_->Clear();
  std::vector<PlacedLabel> placed;
  for (Label& label : labels) {
    const Rect area = AreaOf(label);
    if (grid_->TryOccupy(area)) {
      placed.push_back({std::move(label), area});
    }
  }
  return placed;
}

}  // namespace meridian
