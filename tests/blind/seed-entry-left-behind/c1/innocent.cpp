// sprite_bindings.cpp: sprites of the 2D renderer for level scripts.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cstdint>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace py = pybind11;

// renderer/gfx.h
namespace gfx {
using sprite_id = std::uint32_t;
constexpr sprite_id no_sprite = 0;
sprite_id create_sprite(const std::string& sheet, int cell);  // reuses the ids of freed sprites
void free_sprite(sprite_id id);
bool sprite_exists(sprite_id id);
void draw_sprite(sprite_id id, float x, float y);
std::vector<sprite_id> sprites_in_rect(float x, float y, float w, float h);
}  // namespace gfx

namespace scripting {

class sprite {
public:
    sprite(gfx::sprite_id id, std::string sheet) : id_(id), sheet_(std::move(sheet)) {}

    void draw(float x, float y) const { gfx::draw_sprite(checked_id(), x, y); }
    const std::string& sheet() const { return sheet_; }
    gfx::sprite_id checked_id() const
    {
        if (freed_)
            throw std::runtime_error("sprite of sheet '" + sheet_ + "' was freed");
        return id_;
    }
    void mark_freed() { freed_ = true; }

    py::dict tags;

private:
    gfx::sprite_id id_;
    std::string sheet_;
    bool freed_ = false;
};

using sprite_ptr = std::shared_ptr<sprite>;

class sprite_registry {
public:
    sprite_registry() = default;
    sprite_registry(const sprite_registry&) = delete;
    sprite_registry& operator=(const sprite_registry&) = delete;
    ~sprite_registry() { free_all(); }

    sprite_ptr create(const std::string& sheet, int cell)
    {
        const gfx::sprite_id id = gfx::create_sprite(sheet, cell);
        if (id == gfx::no_sprite)
            throw std::invalid_argument("no such cell in sheet " + sheet);
        sprite_ptr& slot = sprites_[id];
        if (!slot)
            slot = std::make_shared<sprite>(id, sheet);
        return slot;
    }

    void free(const sprite_ptr& which)
    {
        const gfx::sprite_id id = which->checked_id();
        gfx::free_sprite(id);
        which->mark_freed();
        sprites_.erase(id);
    }

    std::size_t free_sheet(const std::string& sheet)
    {
        std::size_t count = 0;
        for (auto it = sprites_.begin(); it != sprites_.end();) {
            sprite& candidate = *it->second;
            if (candidate.sheet() != sheet) {
                ++it;
                continue;
            }
            gfx::free_sprite(it->first);
            candidate.mark_freed();
            it = sprites_.erase(it);
            ++count;
        }
        return count;
    }

    void free_all()
    {
        for (auto& entry : sprites_) {
            gfx::free_sprite(entry.first);
            entry.second->mark_freed();
        }
        sprites_.clear();
    }

    std::vector<sprite_ptr> in_rect(float x, float y, float w, float h) const
    {
        std::vector<sprite_ptr> hits;
        for (gfx::sprite_id id : gfx::sprites_in_rect(x, y, w, h)) {
            auto found = sprites_.find(id);
            if (found != sprites_.end())
                hits.push_back(found->second);
        }
        return hits;
    }

private:
    std::map<gfx::sprite_id, sprite_ptr> sprites_;
};

}  // namespace scripting

PYBIND11_MODULE(sprites, m)
{
    using namespace scripting;
    py::class_<sprite, sprite_ptr>(m, "Sprite")
        .def_readonly("tags", &sprite::tags)
        .def_property_readonly("sheet", &sprite::sheet)
        .def("draw", &sprite::draw);
    py::class_<sprite_registry>(m, "Sprites")
        .def(py::init<>())
        .def("create", &sprite_registry::create, py::arg("sheet"), py::arg("cell") = 0)
        .def("free", &sprite_registry::free, py::arg("sprite").none(false))
        .def("free_sheet", &sprite_registry::free_sheet)
        .def("free_all", &sprite_registry::free_all)
        .def("in_rect", &sprite_registry::in_rect);
}
