// Handles by which macros of the CAD program refer to parts.
#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace cad {

using PartId = std::uint64_t;

struct Part {
  PartId id;
  Part *parent;
  std::string label;
  double mass = 0;
  std::vector<std::unique_ptr<Part>> parts;
};

class Model {
public:
  Part &root() { return root_; }
  Part *find(PartId id) const {
    auto it = index_.find(id);
    return it == index_.end() ? nullptr : it->second;
  }
  Part &insert(Part &parent, std::string label) {
    auto part = std::make_unique<Part>(Part{++lastId_, &parent, std::move(label)});
    index_[part->id] = part.get();
    return *parent.parts.emplace_back(std::move(part));
  }
  void erase(Part &part) {
    unindex(part);
    std::erase_if(part.parent->parts, [&](const auto &p) { return p.get() == &part; });
  }

private:
  void unindex(const Part &part) {
    index_.erase(part.id);
    for (const auto &sub : part.parts)
      unindex(*sub);
  }

  PartId lastId_ = 0;  // never goes back
  Part root_{0, nullptr, "model"};
  std::map<PartId, Part *> index_{{0, &root_}};
};

}  // namespace cad

class PartHandle;

class MacroSession : public std::enable_shared_from_this<MacroSession> {
public:
  std::shared_ptr<PartHandle> handle(cad::Part &part);
  cad::Model &model() { return m_model; }
  void drop(cad::PartId id) { m_live.erase(id); }

private:
  cad::Model m_model;
  std::map<cad::PartId, std::weak_ptr<PartHandle>> m_live;
};

class PartHandle {
public:
  PartHandle(std::shared_ptr<MacroSession> session, cad::Part &part)
      : m_session(std::move(session)), m_part(&part), m_id(part.id) {}
  ~PartHandle() { m_session->drop(m_id); }

  std::string label() const { return part().label; }
  double mass() const { return totalMass(part()); }
  void setMass(double kg) { part().mass = std::max(kg, 0.0); }
  std::shared_ptr<PartHandle> insert(std::string label) {
    return m_session->handle(m_session->model().insert(part(), std::move(label)));
  }
  void remove() {
    cad::Part &doomed = part();
    if (!doomed.parent)
      throw std::logic_error("the model itself stays");
    m_session->drop(m_id);
    m_valid = false;
    m_session->model().erase(doomed);
  }

private:
  cad::Part &part() const {
    cad::Part *p = m_valid ? m_part : nullptr;
    if (!p)
      throw std::logic_error("the part has been removed");
    return *p;
  }
  static double totalMass(const cad::Part &part) {
    double sum = part.mass;
    for (const auto &sub : part.parts)
      sum += totalMass(*sub);
    return sum;
  }

  std::shared_ptr<MacroSession> m_session;
  cad::Part *m_part;
  cad::PartId m_id;
  bool m_valid = true;
};

std::shared_ptr<PartHandle> MacroSession::handle(cad::Part &part) {
  auto &slot = m_live[part.id];
  auto found = slot.lock();
  if (!found)
    slot = found = std::make_shared<PartHandle>(shared_from_this(), part);
  return found;
}
