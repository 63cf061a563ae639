#include <iostream>
#include <string>

#include "sim_clock.h"
#include "watchdog.h"

int main() {
  rover::RobotClock clock;
  rover::DriveWatchdog watchdog(
      clock, [] { std::cout << "no command, wheels stopped\n"; });

  std::string line;
  while (std::getline(std::cin, line)) {
    if (line == "drive") {
      watchdog.OnCommand();
    } else if (line == "step") {
      clock.Advance(std::chrono::milliseconds(20));
    }
    watchdog.Poll();
  }
  return 0;
}
