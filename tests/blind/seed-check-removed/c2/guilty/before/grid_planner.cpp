#include "planner.h"

#include <algorithm>
#include <queue>

namespace Nav {

// Breadth-first search over the free cells.
class GridPlanner : public Planner
{
public:
    Plan makePlan(const PlanRequest &request) override
    {
        if (!request.map)
            return failed(PlanError::NoMap);
        const CostMap &map = *request.map;
        if (!map.contains(request.start.x, request.start.y)
            || !map.contains(request.goal.x, request.goal.y))
            return failed(PlanError::OutsideMap);

        const int width = map.width();
        const auto indexOf = [width](Cell c) { return c.y * width + c.x; };
        const int start = indexOf(request.start);
        const int goal = indexOf(request.goal);
        std::vector<int> parent(static_cast<size_t>(width) * map.height(), -1);
        std::queue<int> open;
        parent[start] = start;
        open.push(start);
        while (!open.empty() && parent[goal] < 0) {
            const int at = open.front();
            open.pop();
            const Cell c{at % width, at / width};
            for (const Cell next : {Cell{c.x + 1, c.y}, Cell{c.x - 1, c.y},
                                    Cell{c.x, c.y + 1}, Cell{c.x, c.y - 1}}) {
                if (!map.contains(next.x, next.y) || map.cost(next.x, next.y) >= LethalCost)
                    continue;
                const int to = indexOf(next);
                if (parent[to] >= 0)
                    continue;
                parent[to] = at;
                open.push(to);
            }
        }
        if (parent[goal] < 0)
            return failed(PlanError::Unreachable);

        Plan plan;
        for (int at = goal; at != start; at = parent[at])
            plan.cells.push_back(Cell{at % width, at / width});
        plan.cells.push_back(request.start);
        std::reverse(plan.cells.begin(), plan.cells.end());
        return plan;
    }
};

std::unique_ptr<Planner> createGridPlanner()
{
    return std::make_unique<GridPlanner>();
}

} // namespace Nav
