// Agent-based model of a growing yeast colony.
#include <cstddef>
#include <cstdint>
#include <vector>

namespace colony {

struct Vec2 {
    float x = 0, y = 0;
};

struct Cell {
    Vec2 place;
    float mass = 1.0f;
    uint32_t daughters = 0;
    uint32_t generation = 0;
    bool resting = false;
};

struct Rules {
    float divide_mass = 2.0f;
    float uptake = 0.05f;
    uint32_t senescence = 25;
};

class Colony {
public:
    explicit Colony(Rules rules) : rules_(rules) { cells_.emplace_back(); }

    void step(float sugar) {
        const std::size_t count = cells_.size();
        for (std::size_t i = 0; i < count; ++i) {
            feed(i, sugar);
            if (cells_[i].mass >= rules_.divide_mass && !cells_[i].resting)
                divide(i);
        }
        ++ticks_;
    }

    std::size_t size() const { return cells_.size(); }
    const Cell &cell(std::size_t index) const { return cells_.at(index); }

private:
    void feed(std::size_t index, float sugar) {
        Cell &cell = cells_[index];
        cell.mass += rules_.uptake * sugar;
    }

    std::size_t birth(Vec2 place, float mass, uint32_t generation) {
        Cell bud;
        bud.place = place;
        bud.mass = mass;
        bud.generation = generation;
        cells_.push_back(bud);
        return cells_.size() - 1;
    }

    void divide(std::size_t index) {
        Cell &mother = cells_[index];
        const float half = mother.mass * 0.5f;
        const Vec2 beside{mother.place.x + 1.0f, mother.place.y};
        mother.mass = half;
        birth(beside, half, mother.generation + 1);
        if (++mother.daughters >= rules_.senescence)
            cells_[index].resting = true;
    }

    Rules rules_;
    std::vector<Cell> cells_;
    uint64_t ticks_ = 0;
};

}  // namespace colony
