#include "armplan/planner.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "armplan/ramp_profile.h"

namespace armplan {

Planner::Planner(const PlannerSettings &settings)
    : m_settings(settings)
{
}

Trajectory Planner::plan(const JointVector &from, const JointVector &to) const
{
    std::vector<RampProfile> profiles;
    double duration = 0.0;
    for (std::size_t i = 0; i < kJoints; ++i) {
        profiles.emplace_back(to[i] - from[i], m_settings.maxVelocity[i],
                              m_settings.maxAcceleration[i]);
        duration = std::max(duration, profiles.back().duration());
    }

    Trajectory result;
    const int steps = static_cast<int>(std::ceil(duration / m_settings.timeStep));
    for (int step = 0; step < steps; ++step) {
        const double time = step * m_settings.timeStep;
        JointVector joints;
        for (std::size_t i = 0; i < kJoints; ++i)
            joints[i] = from[i] + (to[i] - from[i]) * profiles[i].fractionAt(time / duration);
        result.append(time, joints);
    }
    result.append(duration, to);
    return result;
}

} // namespace armplan
