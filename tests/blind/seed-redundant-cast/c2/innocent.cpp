#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

struct Vec2
{
    float x = 0.0f;
    float y = 0.0f;
};

class GameObject
{
public:
    explicit GameObject(int id) : m_id(id) {}
    virtual ~GameObject() = default;

    int id() const { return m_id; }
    Vec2 position() const { return m_position; }
    void setPosition(Vec2 position) { m_position = position; }
    virtual void tick(float seconds) = 0;

private:
    int m_id;
    Vec2 m_position;
};

class Turret : public GameObject
{
public:
    using GameObject::GameObject;

    void aimAt(Vec2 target)
    {
        const Vec2 here = position();
        m_goal = std::atan2(target.y - here.y, target.x - here.x);
    }
    float heading() const { return m_heading; }
    void tick(float seconds) override
    {
        const float step = m_turnRate * seconds;
        const float delta = std::remainder(m_goal - m_heading, 6.2831853f);
        m_heading += std::clamp(delta, -step, step);
    }

private:
    float m_turnRate = 1.5f;
    float m_goal = 0.0f;
    float m_heading = 0.0f;
};

class Crate : public GameObject
{
public:
    using GameObject::GameObject;
    void tick(float) override {}
};

class Level
{
public:
    template <typename T>
    T *spawn(Vec2 where)
    {
        auto created = std::make_unique<T>(m_nextId++);
        T *object = created.get();
        object->setPosition(where);
        m_objects.push_back(std::move(created));
        return object;
    }

    Turret *placeTurret(const std::string &name, Vec2 where)
    {
        Turret *turret = spawn<Turret>(where);
        m_turrets[name] = turret;
        return turret;
    }

    Turret *turretNamed(const std::string &name) const
    {
        const auto found = m_turrets.find(name);
        return found == m_turrets.end() ? nullptr : found->second;
    }

    GameObject *nearest(Vec2 point) const
    {
        GameObject *best = nullptr;
        float bestDistance = 0.0f;
        for (const auto &object : m_objects) {
            const Vec2 p = object->position();
            const float distance = std::hypot(p.x - point.x, p.y - point.y);
            if (!best || distance < bestDistance) {
                best = object.get();
                bestDistance = distance;
            }
        }
        return best;
    }

    void tick(float seconds)
    {
        for (const auto &object : m_objects)
            object->tick(seconds);
    }

private:
    int m_nextId = 1;
    std::vector<std::unique_ptr<GameObject>> m_objects;
    std::unordered_map<std::string, Turret *> m_turrets;
};

class ScriptCommands
{
public:
    explicit ScriptCommands(Level *level) : m_level(level) {}

    // "aim <turret> <x> <y>"
    bool aim(const std::string &name, Vec2 target)
    {
        if (auto *turret = m_level->turretNamed(name)) {
            turret->aimAt(target);
            return true;
        }
        return false;
    }

    // "alert <x> <y>": the nearest object looks there, if it can.
    bool alert(Vec2 target)
    {
        if (auto *turret = dynamic_cast<Turret *>(m_level->nearest(target))) {
            turret->aimAt(target);
            return true;
        }
        return false;
    }

private:
    Level *m_level;
};
