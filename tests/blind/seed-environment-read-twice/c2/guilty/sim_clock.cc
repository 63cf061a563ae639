#include "sim_clock.h"

#include <cstdlib>
#include <cstring>

namespace rover {

RobotClock::RobotClock() {
  const char* mode = std::getenv("ROVER_SIM");
  simulated_ = mode != nullptr && std::strcmp(mode, "0") != 0;
}

Nanoseconds RobotClock::Now() const {
  if (simulated_) {
    return Nanoseconds(simulated_ns_.load(std::memory_order_relaxed));
  }
  return std::chrono::duration_cast<Nanoseconds>(
      std::chrono::steady_clock::now().time_since_epoch());
}

}  // namespace rover
