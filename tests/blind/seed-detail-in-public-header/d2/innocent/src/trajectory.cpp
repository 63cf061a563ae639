#include "armplan/trajectory.h"

namespace armplan {

void Trajectory::append(double time, const JointVector &joints)
{
    m_points.push_back({time, joints});
}

double Trajectory::duration() const
{
    return m_points.empty() ? 0.0 : m_points.back().time;
}

} // namespace armplan
