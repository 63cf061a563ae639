#pragma once

#include "armplan/trajectory.h"

namespace armplan {

struct PlannerSettings
{
    JointVector maxVelocity{1.0, 1.0, 1.5};
    JointVector maxAcceleration{2.0, 2.0, 4.0};
    double timeStep = 0.01;
};

class Planner
{
public:
    explicit Planner(const PlannerSettings &settings);

    // All joints start and arrive together.
    Trajectory plan(const JointVector &from, const JointVector &to) const;

private:
    PlannerSettings m_settings;
};

} // namespace armplan
