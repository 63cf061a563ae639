#include "planner.h"

#include <mutex>

namespace Nav {

// Answers goal requests from the fleet manager. The mapper publishes its first
// map a few seconds after boot.
class PlanServer
{
public:
    explicit PlanServer(bool openField)
        : m_planner(openField ? createStraightPlanner() : createGridPlanner())
    {
    }

    void onMap(std::shared_ptr<const CostMap> map)
    {
        std::lock_guard<std::mutex> guard(m_mutex);
        m_map = std::move(map);
    }

    Plan onGoal(Cell position, Cell goal)
    {
        PlanRequest request;
        request.start = position;
        request.goal = goal;
        {
            std::lock_guard<std::mutex> guard(m_mutex);
            request.map = m_map;
        }
        return m_planner->makePlan(request);
    }

private:
    std::unique_ptr<Planner> m_planner;
    std::mutex m_mutex;
    std::shared_ptr<const CostMap> m_map;
};

} // namespace Nav
