#ifndef NAV_PLANNER_H
#define NAV_PLANNER_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace Nav {

class CostMap
{
public:
    CostMap(int width, int height)
        : m_width(width), m_height(height), m_cells(static_cast<size_t>(width) * height, 0)
    {
    }

    int width() const { return m_width; }
    int height() const { return m_height; }
    bool contains(int x, int y) const { return x >= 0 && y >= 0 && x < m_width && y < m_height; }
    uint8_t cost(int x, int y) const { return m_cells[static_cast<size_t>(y) * m_width + x]; }
    void setCost(int x, int y, uint8_t cost) { m_cells[static_cast<size_t>(y) * m_width + x] = cost; }

private:
    int m_width;
    int m_height;
    std::vector<uint8_t> m_cells;
};

struct Cell
{
    int x = 0;
    int y = 0;
};

enum class PlanError { None, NoMap, OutsideMap, Unreachable };

struct PlanRequest
{
    std::shared_ptr<const CostMap> map;
    Cell start;
    Cell goal;
};

struct Plan
{
    PlanError error = PlanError::None;
    std::vector<Cell> cells;
};

constexpr uint8_t LethalCost = 254;

class Planner
{
public:
    virtual ~Planner() = default;
    virtual Plan makePlan(const PlanRequest &request) = 0;

protected:
    static Plan failed(PlanError error) { return Plan{error, {}}; }
};

std::unique_ptr<Planner> createGridPlanner();
std::unique_ptr<Planner> createStraightPlanner(uint8_t costLimit = LethalCost);

} // namespace Nav

#endif
