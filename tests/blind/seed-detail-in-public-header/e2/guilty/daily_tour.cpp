#include "depot_planner.hpp"

#include <iostream>

int main()
{
    routing::DepotPlanner planner({"Harbour Road 4", 53.54, 9.98});
    planner.addStop({"Mill Lane 1", 53.55, 10.01});
    planner.addStop({"Castle Street 9", 53.60, 10.03});
    planner.addStop({"Old Quay 2", 53.51, 9.93});

    for (auto index : planner.plan())
        std::cout << index << '\n';
    return 0;
}
