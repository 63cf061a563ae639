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

struct Trajectory {
  uint32_t id = 0;
  std::vector<Waypoint> waypoints;
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
