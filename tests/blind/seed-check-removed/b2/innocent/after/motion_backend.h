// Interface between the motion planner and the field buses.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

namespace arm {

struct Waypoint {
  double t = 0;  // seconds since the start of the motion
  std::vector<double> joints;
};

// A motion of at least one waypoint, each with at least one joint.
class Trajectory {
 public:
  static std::optional<Trajectory> Create(uint32_t id, std::vector<Waypoint> w) {
    if (w.empty()) return std::nullopt;
    for (const Waypoint& p : w) {
      if (p.joints.empty() || p.joints.size() != w.front().joints.size()) {
        return std::nullopt;
      }
    }
    return Trajectory(id, std::move(w));
  }

  const uint32_t id;
  const std::vector<Waypoint> waypoints;

 private:
  Trajectory(uint32_t id, std::vector<Waypoint> w)
      : id(id), waypoints(std::move(w)) {}
};

class Bus {
 public:
  virtual ~Bus() = default;
  virtual void Send(uint16_t node, const std::vector<uint8_t>& frame) = 0;
};

class MotionError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class MotionBackend {
 public:
  explicit MotionBackend(Bus& bus) : bus_(bus) {}
  virtual ~MotionBackend() = default;

  // Transfers the motion to the drives; returns its duration in seconds.
  virtual double Load(const Trajectory& trajectory) = 0;

 protected:
  Bus& bus_;
};

}  // namespace arm
