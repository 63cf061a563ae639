// Driver for a two-finger gripper on a serial bus.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <mutex>
#include <optional>
#include <utility>

namespace arm {

struct Frame {
  uint8_t op = 0;
  int32_t arg = 0;
};

class Bus {
 public:
  virtual ~Bus() = default;
  virtual bool send(const Frame& f) = 0;
  virtual std::optional<Frame> receive(std::chrono::milliseconds timeout) = 0;
};

class OnExit {
 public:
  explicit OnExit(std::function<void()> fn) : fn_(std::move(fn)) {}
  OnExit(const OnExit&) = delete;
  OnExit& operator=(const OnExit&) = delete;
  ~OnExit() {
    if (fn_) fn_();
  }
  void dismiss() { fn_ = nullptr; }

 private:
  std::function<void()> fn_;
};

class GripperDriver {
 public:
  explicit GripperDriver(Bus& bus) : bus_(bus) {}

  bool moveTo(int32_t microns);

 private:
  enum Ready : uint32_t { kTorque = 1u << 0, kHomed = 1u << 1 };
  static constexpr uint8_t kOpTorque = 0x10;
  static constexpr uint8_t kOpHome = 0x21;
  static constexpr uint8_t kOpMove = 0x22;

  bool command(uint8_t op, int32_t arg, int32_t* reply);
  bool ensureHomed();

  Bus& bus_;
  std::mutex mu_;
  uint32_t ready_ = 0;
  int32_t zero_ = 0;
};

bool GripperDriver::command(uint8_t op, int32_t arg, int32_t* reply) {
  if (!bus_.send({op, arg})) return false;
  const auto answer = bus_.receive(std::chrono::milliseconds(250));
  if (!answer || answer->op != op) return false;
  *reply = answer->arg;
  return true;
}

bool GripperDriver::ensureHomed() {
  if (ready_ & kHomed) return true;
  OnExit undo([this] {
    ready_ &= ~kHomed;
    int32_t ignored = 0;
    if (!command(kOpTorque, 0, &ignored)) std::fprintf(stderr, "gripper: torque still on\n");
  });
  ready_ |= kHomed;

  int32_t reply = 0;
  if (!command(kOpTorque, 1, &reply)) return false;
  if (!command(kOpHome, 0, &reply)) {
    std::fprintf(stderr, "gripper: homing not acknowledged\n");
    return false;
  }
  zero_ = reply;
  undo.dismiss();
  return true;
}

bool GripperDriver::moveTo(int32_t microns) {
  std::lock_guard<std::mutex> lock(mu_);
  if (!ensureHomed()) return false;
  int32_t reached = 0;
  return command(kOpMove, zero_ + microns, &reached);
}

}  // namespace arm
