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
    if (points.empty()) {
      throw MotionError("empty trajectory");
    }
    if (points.front().joints.empty()) return 0.0;

    for (const Waypoint& p : points) {
      std::vector<uint8_t> frame;
      for (double q : p.joints) Append(frame, q);
      bus_.Send(kGroupAddress, frame);
    }
    return points.back().t - points.front().t;
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
