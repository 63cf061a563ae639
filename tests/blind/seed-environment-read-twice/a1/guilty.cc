// Simulated arm: integrates joint positions and plays back trajectories.
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <utility>
#include <vector>

namespace armsim {

constexpr std::size_t kJoints = 6;
constexpr int kDefaultRateHz = 250;
constexpr char kRateVar[] = "ARM_SIM_RATE_HZ";

using JointVector = std::array<double, kJoints>;

namespace {

int IntFromEnv(const char* name, int fallback, int lo, int hi) {
  const char* text = std::getenv(name);
  if (text == nullptr || *text == '\0') return fallback;
  char* end = nullptr;
  errno = 0;
  const long value = std::strtol(text, &end, 10);
  if (errno != 0 || *end != '\0' || value < lo || value > hi) return fallback;
  return static_cast<int>(value);
}

}  // namespace

class JointSimulator {
 public:
  JointSimulator() : dt_(1.0 / IntFromEnv(kRateVar, kDefaultRateHz, 1, 1000)) {}

  void Command(const JointVector& velocity) { velocity_ = velocity; }

  void Step() {
    for (std::size_t i = 0; i < kJoints; ++i) position_[i] += velocity_[i] * dt_;
  }

  const JointVector& position() const { return position_; }

 private:
  double dt_;
  JointVector position_{};
  JointVector velocity_{};
};

struct Waypoint {
  double time = 0;
  JointVector position{};
};

class TrajectoryPlayer {
 public:
  explicit TrajectoryPlayer(std::vector<Waypoint> points);

  // Velocity that brings the arm to the next waypoint; false at the end.
  bool Next(const JointVector& now, JointVector* velocity);

 private:
  std::vector<Waypoint> points_;
  std::size_t next_ = 0;
  double clock_ = 0;
  double period_ = 1.0 / kDefaultRateHz;
};

TrajectoryPlayer::TrajectoryPlayer(std::vector<Waypoint> points) : points_(std::move(points)) {
  if (const char* rate = std::getenv("ARM_SIM_RATE_HZ")) {
    period_ = 1.0 / std::atof(rate);
  }
}

bool TrajectoryPlayer::Next(const JointVector& now, JointVector* velocity) {
  clock_ += period_;
  while (next_ < points_.size() && points_[next_].time < clock_) ++next_;
  if (next_ == points_.size()) return false;
  const Waypoint& goal = points_[next_];
  const double left = goal.time - clock_ + period_;
  for (std::size_t i = 0; i < kJoints; ++i) (*velocity)[i] = (goal.position[i] - now[i]) / left;
  return true;
}

}  // namespace armsim
