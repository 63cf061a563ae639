#include <cstdint>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace armature {

/// Success is an empty error; failure carries a description.
class [[nodiscard]] Error {
  std::unique_ptr<std::string> Payload;

  explicit Error(std::string Message)
      : Payload(std::make_unique<std::string>(std::move(Message))) {}

public:
  Error() = default;
  static Error success() { return Error(); }
  static Error failure(std::string Message) {
    return Error(std::move(Message));
  }

  explicit operator bool() const { return Payload != nullptr; }
  const std::string &message() const { return *Payload; }
};

std::ostream &warn() { return std::cerr << "warning: "; }

using JointId = std::uint8_t;

class FieldBus {
public:
  virtual ~FieldBus() = default;
  virtual bool transact(JointId Target, std::uint16_t Register,
                        std::uint32_t Value) = 0;
};

enum Register : std::uint16_t {
  RegTorqueEnable = 0x40,
  RegGoalPosition = 0x74,
};

class ServoDriver {
  FieldBus &Bus;

  Error write(JointId Id, Register Reg, std::uint32_t Value) {
    if (!Bus.transact(Id, Reg, Value))
      return Error::failure("joint " + std::to_string(Id) +
                            " did not acknowledge register " +
                            std::to_string(Reg));
    return Error::success();
  }

public:
  explicit ServoDriver(FieldBus &TheBus) : Bus(TheBus) {}

  Error enableTorque(JointId Id) { return write(Id, RegTorqueEnable, 1); }
  Error disableTorque(JointId Id) { return write(Id, RegTorqueEnable, 0); }
  Error moveTo(JointId Id, std::uint32_t Ticks) {
    return write(Id, RegGoalPosition, Ticks);
  }
};

/// Keeps a group of joints energized for as long as it lives.
class TorqueGuard {
  ServoDriver &Driver;
  std::vector<JointId> Energized;

public:
  explicit TorqueGuard(ServoDriver &TheDriver) : Driver(TheDriver) {}
  TorqueGuard(const TorqueGuard &) = delete;
  TorqueGuard &operator=(const TorqueGuard &) = delete;

  ~TorqueGuard() {
    // Release from the wrist back to the base.
    for (auto It = Energized.rbegin(), End = Energized.rend(); It != End;
         ++It) {
      [[maybe_unused]] Error Released = Driver.disableTorque(*It);
    }
  }

  Error acquire(JointId Id) {
    if (Error E = Driver.enableTorque(Id))
      return E;
    Energized.push_back(Id);
    return Error::success();
  }
};

struct Waypoint {
  JointId Joint;
  std::uint32_t Ticks;
};

/// Energizes every joint the motion touches and runs it to the end.
bool runMotion(FieldBus &Bus, const std::vector<JointId> &Joints,
               const std::vector<Waypoint> &Motion) {
  ServoDriver Driver(Bus);
  TorqueGuard Guard(Driver);

  for (JointId Id : Joints) {
    if (Error E = Guard.acquire(Id)) {
      warn() << "cannot energize: " << E.message() << '\n';
      return false;
    }
  }

  for (const Waypoint &Point : Motion) {
    if (Error E = Driver.moveTo(Point.Joint, Point.Ticks)) {
      warn() << "motion aborted: " << E.message() << '\n';
      return false;
    }
  }
  return true;
}

} // namespace armature
