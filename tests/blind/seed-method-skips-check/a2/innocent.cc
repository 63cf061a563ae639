// Script-side proxies of game objects. The world may delete an object at any frame.
#include <cmath>
#include <functional>
#include <stdexcept>
#include <string>

namespace game {

struct Vec2 {
  float x = 0, y = 0;
  Vec2 operator+(Vec2 o) const { return {x + o.x, y + o.y}; }
};

struct Object {
  std::string name;
  Vec2 position;
  float heading = 0;
  std::function<void()> onDelete;

  ~Object() {
    if (onDelete)
      onDelete();
  }
};

struct Light : Object {
  float intensity = 1;
};

}  // namespace game

class StaleProxy : public std::runtime_error {
public:
  explicit StaleProxy(const std::string &name) : runtime_error(name + " no longer exists") {}
};

template <class T>
class Proxy {
public:
  explicit Proxy(T *object) : m_object(object), m_name(object->name) {
    m_object->onDelete = [this] { m_valid = false; };
  }
  virtual ~Proxy() {
    if (m_valid)
      m_object->onDelete = nullptr;
  }
  Proxy(const Proxy &) = delete;
  Proxy &operator=(const Proxy &) = delete;

  bool isValid() const { return m_valid; }
  const std::string &name() const { return m_name; }

protected:
  void checkValid() const {
    if (!m_valid)
      throw StaleProxy(m_name);
  }

  T *m_object;

private:
  std::string m_name;
  bool m_valid = true;
};

template <class T>
class Movable : public Proxy<T> {
public:
  using Proxy<T>::Proxy;

  game::Vec2 position() const {
    this->checkValid();
    return this->m_object->position;
  }

  void setPosition(game::Vec2 p) {
    this->checkValid();
    if (!std::isfinite(p.x) || !std::isfinite(p.y))
      throw std::invalid_argument("position must be finite");
    this->m_object->position = p;
  }

  void turn(float degrees) {
    this->checkValid();
    this->m_object->heading = std::fmod(this->m_object->heading + degrees, 360.0f);
  }

  void moveBy(game::Vec2 delta) {
    const game::Vec2 target = position() + delta;
    setPosition(target);
  }
};

class LightProxy final : public Movable<game::Light> {
public:
  using Movable::Movable;

  float intensity() const {
    checkValid();
    return m_object->intensity;
  }

  bool dim(float factor) {
    checkValid();
    if (factor < 0 || factor > 1)
      return false;
    m_object->intensity *= factor;
    return true;
  }
};
