// Buffer pool with clock eviction.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <unordered_map>
#include <vector>

#include <unistd.h>

namespace heapdb {

extern int g_vlog_level;
int g_vlog_level = 0;
#define VLOG_IS_ON(n) ((n) <= ::heapdb::g_vlog_level)

constexpr size_t kPageSize = 8192;
using PageId = uint64_t;

struct Frame {
  PageId page = ~0ull;
  bool referenced = false;
  uint32_t pins = 0;
  std::unique_ptr<char[]> data = std::make_unique<char[]>(kPageSize);
};

class BufferPool {
 public:
  BufferPool(int fd, size_t frames) : fd_(fd), frames_(frames) {}

  // Pins the page; null if all frames are pinned or the read fails.
  char* Fetch(PageId page);
  void Unpin(PageId page) { --frames_[index_.at(page)].pins; }

 private:
  static constexpr uint64_t kReportEvery = 1 << 16;

  Frame* Victim();

  int fd_;
  std::vector<Frame> frames_;
  std::unordered_map<PageId, size_t> index_;
  size_t hand_ = 0;
  uint64_t fetches_ = 0;
  uint64_t misses_ = 0;
  uint64_t sweep_steps_ = 0;
};

Frame* BufferPool::Victim() {
  for (size_t step = 0; step < 2 * frames_.size(); ++step) {
    ++sweep_steps_;
    Frame& f = frames_[hand_];
    hand_ = (hand_ + 1) % frames_.size();
    if (f.pins > 0) continue;
    if (!f.referenced) return &f;
    f.referenced = false;
  }
  return nullptr;
}

char* BufferPool::Fetch(PageId page) {
  ++fetches_;
  if (VLOG_IS_ON(2) && fetches_ % kReportEvery == 0) {
    std::fprintf(stderr, "pool: %llu fetches, %llu misses, %.2f steps a miss\n",
                 static_cast<unsigned long long>(fetches_),
                 static_cast<unsigned long long>(misses_),
                 misses_ ? double(sweep_steps_) / double(misses_) : 0.0);
  }

  if (auto it = index_.find(page); it != index_.end()) {
    Frame& f = frames_[it->second];
    f.referenced = true;
    ++f.pins;
    return f.data.get();
  }

  ++misses_;
  Frame* f = Victim();
  if (f == nullptr) return nullptr;
  index_.erase(f->page);
  f->page = ~0ull;
  const off_t at = static_cast<off_t>(page * kPageSize);
  if (::pread(fd_, f->data.get(), kPageSize, at) != static_cast<ssize_t>(kPageSize)) {
    return nullptr;
  }
  f->page = page;
  f->referenced = true;
  f->pins = 1;
  index_[page] = static_cast<size_t>(f - frames_.data());
  return f->data.get();
}

}  // namespace heapdb
