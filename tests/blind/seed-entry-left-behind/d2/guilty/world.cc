#include "world.h"

namespace warehouse {

World::~World() {
  for (auto& entry : by_name_) {
    space_.Destroy(entry.second->body);
    entry.second->body = nullptr;
  }
}

BodyViewPtr World::Add(const std::string& name, int group, double mass) {
  if (by_name_.count(name) != 0) throw std::invalid_argument("body '" + name + "' exists");
  BodyViewPtr view = ViewOf(space_.Create(mass));
  view->name = name;
  view->group = group;
  by_name_[name] = view;
  return view;
}

void World::Remove(const std::string& name) {
  auto it = by_name_.find(name);
  if (it == by_name_.end()) throw std::invalid_argument("no body '" + name + "'");
  BodyViewPtr view = it->second;
  by_name_.erase(it);
  by_body_.erase(view->body);
  space_.Destroy(view->body);
  view->body = nullptr;
}

int World::RemoveGroup(int group) {
  int removed = 0;
  for (auto it = by_name_.begin(); it != by_name_.end();) {
    BodyViewPtr view = it->second;
    if (view->group != group) {
      ++it;
      continue;
    }
    it = by_name_.erase(it);
    space_.Destroy(view->body);
    view->body = nullptr;
    ++removed;
  }
  return removed;
}

BodyViewPtr World::ViewOf(sim::Body* body) {
  BodyViewPtr& view = by_body_[body];
  if (view == nullptr) view = std::make_shared<BodyView>(BodyView{body, "", 0});
  return view;
}

void World::Step(double seconds, const ContactFn& on_contact) {
  std::vector<std::pair<BodyViewPtr, BodyViewPtr>> contacts;
  for (const auto& pair : space_.Step(seconds)) {
    contacts.emplace_back(ViewOf(pair.first), ViewOf(pair.second));
  }
  for (const auto& contact : contacts) on_contact(contact.first, contact.second);
}

}  // namespace warehouse
