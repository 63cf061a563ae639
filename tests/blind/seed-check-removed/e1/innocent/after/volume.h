#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace blockstore {

class Status {
 public:
  Status() = default;
  static Status Invalid(std::string m) {
    Status s;
    s.message_ = std::move(m);
    s.ok_ = false;
    return s;
  }
  bool ok() const { return ok_; }
  const std::string& message() const { return message_; }

 private:
  bool ok_ = true;
  std::string message_;
};

struct Extent {
  uint64_t first = 0;
  uint64_t count = 0;
};

class Volume {
 public:
  virtual ~Volume() = default;
  virtual uint64_t blocks() const = 0;
  // Gives the extent back to the device. The extent lies within blocks().
  virtual Status Discard(const Extent& extent) = 0;
  virtual Status Flush() = 0;
};

std::unique_ptr<Volume> OpenNvmeVolume(int fd, uint64_t blocks);
std::unique_ptr<Volume> OpenLoopVolume(int fd, uint64_t blocks);

}  // namespace blockstore
