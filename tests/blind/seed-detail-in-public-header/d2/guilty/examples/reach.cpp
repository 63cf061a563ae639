#include <cstdio>

#include "armplan/planner.h"

int main()
{
    const armplan::Planner planner{armplan::PlannerSettings{}};
    const armplan::Trajectory path = planner.plan({0.0, 0.0, 0.0}, {0.8, -0.4, 1.2});
    for (const armplan::TrajectoryPoint &point : path.points())
        std::printf("%6.3f %7.4f %7.4f %7.4f\n", point.time, point.joints[0],
                    point.joints[1], point.joints[2]);
    return 0;
}
