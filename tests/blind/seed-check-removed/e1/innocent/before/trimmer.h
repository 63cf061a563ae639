#pragma once

#include <utility>
#include <vector>

#include "volume.h"

namespace blockstore {

// Sends the extents that the file system has freed. The only user of Discard.
class Trimmer {
 public:
  explicit Trimmer(std::unique_ptr<Volume> volume) : volume_(std::move(volume)) {}
  Status Run(const std::vector<Extent>& extents);
  uint64_t trimmed() const { return trimmed_; }

 private:
  std::unique_ptr<Volume> volume_;
  uint64_t trimmed_ = 0;
};

}  // namespace blockstore
