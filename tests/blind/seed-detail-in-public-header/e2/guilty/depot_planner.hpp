#ifndef ROUTING_DEPOT_PLANNER_HPP
#define ROUTING_DEPOT_PLANNER_HPP

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace routing
{

struct Stop
{
    std::string address;
    double      lat{};
    double      lon{};
};

class SavingsMatrix
{
public:
    explicit SavingsMatrix(std::size_t n)
        : n_(n)
        , cells_(n * n, 0.0)
    {
    }

    double at(std::size_t i, std::size_t j) const { return cells_[i * n_ + j]; }
    void   set(std::size_t i, std::size_t j, double v) { cells_[i * n_ + j] = v; }
    std::size_t size() const { return n_; }

private:
    std::size_t         n_;
    std::vector<double> cells_;
};

class DepotPlanner
{
public:
    explicit DepotPlanner(Stop depot);
    ~DepotPlanner();

    void                     addStop(Stop stop);
    std::vector<std::size_t> plan();

private:
    void rebuild();

    Stop                           depot_;
    std::vector<Stop>              stops_;
    std::unique_ptr<SavingsMatrix> savings_;
};

}  // namespace routing

#endif
