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
    auto begin = used_.begin() + extent.first;
    auto end = begin + extent.count;
    freed_bytes_ += kBlockSize * std::count(begin, end, uint8_t{1});
    std::fill(begin, end, uint8_t{0});
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
