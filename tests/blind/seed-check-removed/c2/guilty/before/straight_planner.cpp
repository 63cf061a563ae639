#include "planner.h"

#include <algorithm>
#include <cstdlib>

namespace Nav {

// Drives straight to the goal and gives up at the first obstacle.
class StraightPlanner : public Planner
{
public:
    Plan makePlan(const PlanRequest &request) override
    {
        if (!request.map)
            return failed(PlanError::NoMap);
        if (!request.map->contains(request.start.x, request.start.y)
            || !request.map->contains(request.goal.x, request.goal.y))
            return failed(PlanError::OutsideMap);

        const int dx = request.goal.x - request.start.x;
        const int dy = request.goal.y - request.start.y;
        const int steps = std::max(std::abs(dx), std::abs(dy));

        Plan plan;
        for (int i = 0; i <= steps; ++i) {
            const Cell cell{request.start.x + (steps ? dx * i / steps : 0),
                            request.start.y + (steps ? dy * i / steps : 0)};
            if (request.map->cost(cell.x, cell.y) >= LethalCost)
                return failed(PlanError::Unreachable);
            plan.cells.push_back(cell);
        }
        return plan;
    }
};

std::unique_ptr<Planner> createStraightPlanner()
{
    return std::make_unique<StraightPlanner>();
}

} // namespace Nav
