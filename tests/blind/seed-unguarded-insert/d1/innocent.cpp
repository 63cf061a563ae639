// actorbindings.cpp - scripting access to the actors of a running level.
#include <nanobind/nanobind.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <unordered_map>

namespace nb = nanobind;

namespace engine {

// Only scripts spawn actors. They live in the pool of their level. Commands to
// a dead actor are ignored; its place in the pool is given to one of the next spawns.
class Actor
{
public:
    bool isAlive() const;
    void moveBy(float dx, float dy);
};

class Level
{
public:
    explicit Level(const std::string &fileName);
    ~Level();
    Actor *spawn(const std::string &prefab);
    // Advances the simulation; the hook runs after the deaths of this step.
    void step(double seconds, const std::function<void()> &hook);
};

} // namespace engine

class ActorRef
{
public:
    explicit ActorRef(engine::Actor *actor) : m_actor(actor) {}

    void moveBy(float dx, float dy) { checked()->moveBy(dx, dy); }
    bool isAttached() const { return m_actor != nullptr; }
    void detach() { m_actor = nullptr; }

private:
    engine::Actor *checked() const
    {
        if (!m_actor)
            throw std::runtime_error("the actor has left the level");
        return m_actor;
    }

    engine::Actor *m_actor;
};

using ActorRefPtr = std::shared_ptr<ActorRef>;

class LevelRef
{
public:
    explicit LevelRef(const std::string &fileName)
        : m_level(std::make_unique<engine::Level>(fileName))
    {
    }

    ~LevelRef() { unload(); }

    ActorRefPtr spawn(const std::string &prefab)
    {
        if (!m_level)
            throw std::runtime_error("the level is not loaded");
        engine::Actor *actor = m_level->spawn(prefab);
        if (!actor)
            throw std::invalid_argument("unknown prefab " + prefab);
        return adopt(actor);
    }

    void step(double seconds, const std::function<void()> &hook)
    {
        if (!m_level || m_stepping)
            throw std::runtime_error("the level cannot be stepped now");
        m_stepping = true;
        struct Scope
        {
            LevelRef *ref;
            ~Scope() { ref->m_stepping = false, ref->sweep(); }
        } scope{this};
        m_level->step(seconds, hook);
    }

    void unload()
    {
        if (m_stepping)
            throw std::runtime_error("the level is being stepped");
        for (auto &entry : m_actors)
            entry.second->detach();
        m_actors.clear();
        m_level.reset();
    }

private:
    ActorRefPtr adopt(engine::Actor *actor)
    {
        auto ref = std::make_shared<ActorRef>(actor);
        auto previous = m_actors.find(actor);
        if (previous != m_actors.end())
            previous->second->detach();
        m_actors.insert_or_assign(actor, ref);
        return ref;
    }

    void sweep()
    {
        for (auto it = m_actors.begin(); it != m_actors.end();) {
            if (it->first->isAlive()) {
                ++it;
                continue;
            }
            it->second->detach();
            it = m_actors.erase(it);
        }
    }

    std::unique_ptr<engine::Level> m_level;
    std::unordered_map<engine::Actor *, ActorRefPtr> m_actors;
    bool m_stepping = false;
};

NB_MODULE(_level, m)
{
    nb::class_<ActorRef>(m, "Actor")
        .def("move_by", &ActorRef::moveBy)
        .def_prop_ro("attached", &ActorRef::isAttached);
    nb::class_<LevelRef>(m, "Level")
        .def(nb::init<const std::string &>())
        .def("spawn", &LevelRef::spawn)
        .def("step", &LevelRef::step)
        .def("unload", &LevelRef::unload);
}
