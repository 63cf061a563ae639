#ifndef ROVER_SIM_CLOCK_H_
#define ROVER_SIM_CLOCK_H_

#include <atomic>
#include <chrono>

namespace rover {

using Nanoseconds = std::chrono::nanoseconds;

// Time as the robot sees it: of the simulator, or of the machine.
class RobotClock {
 public:
  RobotClock();

  Nanoseconds Now() const;

  // Called by the simulator after every step.
  void Advance(Nanoseconds step) {
    simulated_ns_.fetch_add(step.count(), std::memory_order_relaxed);
  }

  bool simulated() const { return simulated_; }

 private:
  bool simulated_;
  std::atomic<Nanoseconds::rep> simulated_ns_{0};
};

}  // namespace rover

#endif  // ROVER_SIM_CLOCK_H_
