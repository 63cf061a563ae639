#include "handle_registry.h"

#include <cassert>

namespace turbine {

// A blade that was freed can still be in the map, and a new one can have its address: then a release build
// overwrites the old handle, which stays valid in Python's hands.
std::shared_ptr<BladeHandle> HandleRegistry::Create(Blade* blade) {
  assert(live_handles_.find(blade) == live_handles_.end() && "this blade has a handle");
  auto handle = std::make_shared<BladeHandle>(BladeHandle{blade});
  live_handles_.insert_or_assign(blade, handle);
  return handle;
}

// Innocent: what is there already is asked for in every build, and handed out.
std::shared_ptr<BladeHandle> HandleRegistry::FindOrCreate(Blade* blade) {
  auto [entry, inserted] = live_handles_.try_emplace(blade, nullptr);
  if (inserted) {
    entry->second = std::make_shared<BladeHandle>(BladeHandle{blade});
  }
  return entry->second;
}

void HandleRegistry::Forget(Blade* blade) {
  auto entry = live_handles_.find(blade);
  if (entry == live_handles_.end()) return;
  entry->second->valid = false;
  live_handles_.erase(entry);
}

}  // namespace turbine
