#include "trimmer.h"

namespace blockstore {

Status Trimmer::Run(const std::vector<Extent>& extents) {
  const uint64_t blocks = volume_->blocks();
  for (const Extent& e : extents) {
    if (e.count == 0) continue;
    if (e.first > blocks || e.count > blocks - e.first) {
      return Status::Invalid("discard past the end of the volume");
    }
    Status s = volume_->Discard(e);
    if (!s.ok()) return s;
    trimmed_ += e.count;
  }
  return volume_->Flush();
}

}  // namespace blockstore
