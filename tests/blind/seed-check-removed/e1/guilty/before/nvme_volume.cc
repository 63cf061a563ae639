#include <utility>
#include <vector>

#include "volume.h"

namespace blockstore {
namespace {

struct DsmRange {
  uint32_t attributes;
  uint64_t length;
  uint64_t start;
};

class NvmeVolume : public Volume {
 public:
  NvmeVolume(int fd, uint64_t blocks) : fd_(fd), blocks_(blocks) {}

  uint64_t blocks() const override { return blocks_; }

  Status Discard(const Extent& extent) override {
    if (extent.first > blocks_ || extent.count > blocks_ - extent.first) {
      return Status::Invalid("discard past the end of the namespace");
    }
    pending_.push_back({0, extent.count, extent.first});
    return Submit();
  }

  Status Flush() override { return Submit(); }

 private:
  Status Submit() {
    if (fd_ < 0) return Status::Invalid("namespace is closed");
    pending_.clear();
    return Status();
  }

  int fd_;
  uint64_t blocks_;
  std::vector<DsmRange> pending_;
};

}  // namespace

std::unique_ptr<Volume> OpenNvmeVolume(int fd, uint64_t blocks) {
  return std::make_unique<NvmeVolume>(fd, blocks);
}

}  // namespace blockstore
