#include "trimmer.h"

namespace blockstore {

Status Trimmer::Run(const std::vector<Extent>& extents) {
  for (const Extent& e : extents) {
    if (e.count == 0) continue;
    Status s = volume_->Discard(e);
    if (!s.ok()) return s;
    trimmed_ += e.count;
  }
  return volume_->Flush();
}

}  // namespace blockstore
