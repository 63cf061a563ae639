#pragma once

#include <array>
#include <cstddef>
#include <vector>

namespace armplan {

constexpr std::size_t kJoints = 3;
using JointVector = std::array<double, kJoints>;

struct TrajectoryPoint
{
    double time;
    JointVector joints;
};

class Trajectory
{
public:
    void append(double time, const JointVector &joints);
    double duration() const;
    const std::vector<TrajectoryPoint> &points() const { return m_points; }

private:
    std::vector<TrajectoryPoint> m_points;
};

} // namespace armplan
