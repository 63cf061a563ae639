#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "motion_backend.h"

namespace arm {

class CanBackend : public MotionBackend {
 public:
  using MotionBackend::MotionBackend;

  double Load(const Trajectory& trajectory) override {
    const std::vector<Waypoint>& points = trajectory.waypoints;
    if (points.empty()) {
      throw MotionError("empty trajectory");
    }
    if (points.front().joints.empty()) return 0.0;

    for (size_t j = 0; j < points.front().joints.size(); ++j) {
      for (const Waypoint& p : points) {
        const auto ticks = static_cast<int32_t>(std::lround(p.joints.at(j) * 1e4));
        bus_.Send(static_cast<uint16_t>(0x200 + j),
                  {uint8_t(ticks >> 24), uint8_t(ticks >> 16),
                   uint8_t(ticks >> 8), uint8_t(ticks)});
      }
    }
    return points.back().t - points.front().t;
  }
};

}  // namespace arm
