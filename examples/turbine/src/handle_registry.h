#pragma once

#include <memory>
#include <unordered_map>

#include "turbine.h"

namespace turbine {

/// What Python holds of a blade. `valid` turns false when the blade is gone.
struct BladeHandle {
  Blade* blade = nullptr;
  bool valid = true;
};

/// The one handle of every blade that Python has seen, by the blade's address.
class HandleRegistry {
 public:
  std::shared_ptr<BladeHandle> Create(Blade* blade);
  std::shared_ptr<BladeHandle> FindOrCreate(Blade* blade);
  void Forget(Blade* blade);

 private:
  std::unordered_map<Blade*, std::shared_ptr<BladeHandle>> live_handles_;
};

}  // namespace turbine
