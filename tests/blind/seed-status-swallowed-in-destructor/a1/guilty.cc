// Reservation of block extents while a file is being written.
#include <cstdint>
#include <iostream>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace blockfs {

enum class Code { kOk, kNoSpace, kCorrupt };

class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Code code, std::string text) : code_(code), text_(std::move(text)) {}
  bool ok() const { return code_ == Code::kOk; }
  const std::string& text() const { return text_; }

 private:
  Code code_ = Code::kOk;
  std::string text_;
};

struct Extent {
  uint64_t start = 0;
  uint32_t blocks = 0;
};

inline std::ostream& LogWarning(std::string_view where) {
  return std::clog << "W " << where << ": ";
}

class ExtentAllocator {
 public:
  explicit ExtentAllocator(uint64_t total) { free_[0] = total; }

  Status Allocate(uint32_t blocks, Extent* out) {
    for (auto it = free_.begin(); it != free_.end(); ++it) {
      if (it->second < blocks) continue;
      *out = {it->first, blocks};
      const uint64_t rest = it->second - blocks;
      free_.erase(it);
      if (rest > 0) free_[out->start + blocks] = rest;
      return {};
    }
    return {Code::kNoSpace, "no run of " + std::to_string(blocks) + " blocks"};
  }

  Status Free(const Extent& e) {
    const auto [it, inserted] = free_.emplace(e.start, e.blocks);
    if (!inserted) return {Code::kCorrupt, "block " + std::to_string(e.start) + " freed twice"};
    return {};
  }

 private:
  std::map<uint64_t, uint64_t> free_;
};

// Holds an extent until the inode that refers to it is on disk.
class ExtentReservation {
 public:
  explicit ExtentReservation(ExtentAllocator* allocator) : allocator_(allocator) {}
  ExtentReservation(const ExtentReservation&) = delete;
  ExtentReservation& operator=(const ExtentReservation&) = delete;

  ~ExtentReservation() {
    if (held_) {
      (void)allocator_->Free(extent_);
    }
  }

  Status Reserve(uint32_t blocks) {
    Status s = allocator_->Allocate(blocks, &extent_);
    held_ = s.ok();
    return s;
  }

  const Extent& extent() const { return extent_; }
  Extent Commit() {
    held_ = false;
    return extent_;
  }

 private:
  ExtentAllocator* allocator_;
  Extent extent_;
  bool held_ = false;
};

Status WriteFile(ExtentAllocator* allocator, uint32_t blocks, Status (*write)(const Extent&),
                 Extent* out) {
  ExtentReservation reservation(allocator);
  if (Status s = reservation.Reserve(blocks); !s.ok()) {
    LogWarning("WriteFile") << s.text() << "\n";
    return s;
  }
  Status s = write(reservation.extent());
  if (s.ok()) *out = reservation.Commit();
  return s;
}

}  // namespace blockfs
