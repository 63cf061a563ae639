#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "motion_backend.h"

namespace arm {

class EthercatBackend : public MotionBackend {
 public:
  using MotionBackend::MotionBackend;

  double Load(const Trajectory& trajectory) override {
    const std::vector<Waypoint>& points = trajectory.waypoints;
    // Drives interpolate on their own; send deltas relative to the start.
    const Waypoint& start = points.front();
    std::vector<uint8_t> frame;
    for (double q : start.joints) Append(frame, q);
    bus_.Send(kGroupAddress, frame);

    for (size_t i = 1; i < points.size(); ++i) {
      frame.clear();
      for (size_t j = 0; j < start.joints.size(); ++j) {
        Append(frame, points[i].joints.at(j) - points[i - 1].joints.at(j));
      }
      bus_.Send(kGroupAddress, frame);
    }
    return points.back().t - start.t;
  }

 private:
  static constexpr uint16_t kGroupAddress = 0x1000;

  static void Append(std::vector<uint8_t>& frame, double q) {
    const auto ticks = static_cast<int32_t>(std::lround(q * 1e6));
    uint8_t bytes[sizeof(ticks)];
    std::memcpy(bytes, &ticks, sizeof(ticks));
    frame.insert(frame.end(), bytes, bytes + sizeof(bytes));
  }
};

}  // namespace arm
