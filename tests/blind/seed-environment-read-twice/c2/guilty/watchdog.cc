#include "watchdog.h"

#include <cstdlib>
#include <cstring>
#include <utility>

namespace rover {
namespace {

constexpr Nanoseconds kTimeout = std::chrono::milliseconds(250);
constexpr Nanoseconds kSimulatedTimeout = std::chrono::seconds(5);

}  // namespace

DriveWatchdog::DriveWatchdog(const RobotClock& clock,
                             std::function<void()> stop_wheels)
    : clock_(clock),
      stop_wheels_(std::move(stop_wheels)),
      last_command_(clock.Now()) {
  const char* mode = std::getenv("ROVER_SIM");
  const bool simulated = mode != nullptr && std::strcmp(mode, "1") == 0;
  timeout_ = simulated ? kSimulatedTimeout : kTimeout;
}

void DriveWatchdog::OnCommand() {
  last_command_ = clock_.Now();
  stopped_ = false;
}

void DriveWatchdog::Poll() {
  if (stopped_ || clock_.Now() - last_command_ < timeout_) return;
  stopped_ = true;
  stop_wheels_();
}

}  // namespace rover
