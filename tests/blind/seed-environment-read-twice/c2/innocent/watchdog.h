#ifndef ROVER_WATCHDOG_H_
#define ROVER_WATCHDOG_H_

#include <functional>

#include "sim_clock.h"

namespace rover {

// Stops the wheels when no command has arrived for some time. A simulated
// robot is given longer, since its steps may take any time to compute.
class DriveWatchdog {
 public:
  DriveWatchdog(const RobotClock& clock, std::function<void()> stop_wheels);

  void OnCommand();
  void Poll();

 private:
  const RobotClock& clock_;
  const std::function<void()> stop_wheels_;
  Nanoseconds timeout_;
  Nanoseconds last_command_;
  bool stopped_ = false;
};

}  // namespace rover

#endif  // ROVER_WATCHDOG_H_
