#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

namespace py = pybind11;

class Player {
public:
    Player(std::string name, std::string section, int desk)
        : name_(std::move(name)), section_(std::move(section)), desk_(desk) {}

    const std::string &name() const { return name_; }
    const std::string &section() const { return section_; }
    int desk() const { return desk_; }
    void move_to(int desk) { desk_ = desk; }

private:
    std::string name_;
    std::string section_;
    int desk_;
};

class Orchestra {
public:
    void hire(std::string name, std::string section) {
        int desk = 1;
        for (const auto &player : players_)
            desk += player->section() == section;
        players_.push_back(std::make_unique<Player>(std::move(name), std::move(section), desk));
    }

    Player *principal(const std::string &section) const {
        for (const auto &player : players_)
            if (player->section() == section && player->desk() == 1)
                return player.get();
        return nullptr;
    }

    Player &at(std::size_t i) { return *players_.at(i); }
    std::size_t size() const { return players_.size(); }

private:
    std::vector<std::unique_ptr<Player>> players_;
};

PYBIND11_MODULE(_orchestra, m) {
    py::class_<Player>(m, "Player")
        .def_property_readonly("name", &Player::name)
        .def_property_readonly("section", &Player::section)
        .def_property("desk", &Player::desk, &Player::move_to);

    py::class_<Orchestra>(m, "Orchestra")
        .def(py::init<>())
        .def("hire", &Orchestra::hire, py::arg("name"), py::arg("section"))
        .def("__len__", &Orchestra::size)
        .def("__getitem__", &Orchestra::at, py::return_value_policy::reference_internal)
        .def("principal", &Orchestra::principal, py::arg("section"),
             py::return_value_policy::reference_internal);
}
