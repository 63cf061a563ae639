#include <algorithm>
#include <utility>
#include <vector>

#include "volume.h"

namespace blockstore {
namespace {

constexpr uint64_t kBlockSize = 4096;

class LoopVolume : public Volume {
 public:
  LoopVolume(int fd, uint64_t blocks) : fd_(fd), used_(blocks, 1) {}

  uint64_t blocks() const override { return used_.size(); }

  Status Discard(const Extent& extent) override {
    if (extent.first > used_.size() || extent.count > used_.size() - extent.first) {
      return Status::Invalid("discard past the end of the image");
    }
    for (uint64_t b = extent.first; b < extent.first + extent.count; ++b) {
      if (used_[b] == 0) continue;
      used_[b] = 0;
      freed_bytes_ += kBlockSize;
    }
    return Status();
  }

  Status Flush() override {
    return fd_ < 0 ? Status::Invalid("image is closed") : Status();
  }

 private:
  int fd_;
  std::vector<uint8_t> used_;
  uint64_t freed_bytes_ = 0;
};

}  // namespace

std::unique_ptr<Volume> OpenLoopVolume(int fd, uint64_t blocks) {
  return std::make_unique<LoopVolume>(fd, blocks);
}

}  // namespace blockstore
