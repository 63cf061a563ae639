#include "planner.h"

#include <algorithm>
#include <cstdlib>

namespace Nav {

// Drives straight to the goal and gives up at the first obstacle.
class StraightPlanner : public Planner
{
public:
    explicit StraightPlanner(uint8_t costLimit) : m_costLimit(costLimit) {}

    Plan makePlan(const PlanRequest &request) override
    {
        const PlanError error = checkRequest(request);
        if (error != PlanError::None)
            return failed(error);

        const int dx = request.goal.x - request.start.x;
        const int dy = request.goal.y - request.start.y;
        const int steps = std::max(std::abs(dx), std::abs(dy));

        Plan plan;
        for (int i = 0; i <= steps; ++i) {
            const Cell cell{request.start.x + (steps ? dx * i / steps : 0),
                            request.start.y + (steps ? dy * i / steps : 0)};
            if (request.map->cost(cell.x, cell.y) >= m_costLimit)
                return failed(PlanError::Unreachable);
            plan.cells.push_back(cell);
        }
        return plan;
    }

private:
    static PlanError checkRequest(const PlanRequest &request)
    {
        const CostMap &map = *request.map;
        for (const Cell cell : {request.start, request.goal}) {
            if (!map.contains(cell.x, cell.y))
                return PlanError::OutsideMap;
        }
        return PlanError::None;
    }

    const uint8_t m_costLimit;
};

std::unique_ptr<Planner> createStraightPlanner(uint8_t costLimit)
{
    return std::make_unique<StraightPlanner>(costLimit);
}

} // namespace Nav
