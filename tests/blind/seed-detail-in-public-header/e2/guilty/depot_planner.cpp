#include "depot_planner.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace routing
{

namespace
{
double distance(Stop const& a, Stop const& b)
{
    return std::hypot(a.lat - b.lat, a.lon - b.lon);
}
}  // namespace

DepotPlanner::DepotPlanner(Stop depot)
    : depot_(std::move(depot))
{
}

DepotPlanner::~DepotPlanner() = default;

void DepotPlanner::addStop(Stop stop)
{
    stops_.push_back(std::move(stop));
    savings_.reset();
}

void DepotPlanner::rebuild()
{
    auto m = std::make_unique<SavingsMatrix>(stops_.size());
    for (std::size_t i = 0; i < stops_.size(); ++i)
        for (std::size_t j = 0; j < stops_.size(); ++j)
            m->set(i, j, distance(depot_, stops_[i]) + distance(depot_, stops_[j])
                             - distance(stops_[i], stops_[j]));
    savings_ = std::move(m);
}

std::vector<std::size_t> DepotPlanner::plan()
{
    if (!savings_)
        rebuild();
    std::vector<std::size_t> order(stops_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (order.empty())
        return order;
    for (std::size_t k = 0; k + 1 < order.size(); ++k)
    {
        auto const from = order[k];
        auto best = std::max_element(order.begin() + k + 1, order.end(),
                                     [&](auto a, auto b) { return savings_->at(from, a) < savings_->at(from, b); });
        std::iter_swap(order.begin() + k + 1, best);
    }
    return order;
}

}  // namespace routing
