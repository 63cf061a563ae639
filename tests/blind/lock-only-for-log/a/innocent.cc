#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>

#include "absl/base/thread_annotations.h"
#include "absl/log/log.h"
#include "absl/synchronization/mutex.h"

namespace device {

class BufferPool {
 public:
  explicit BufferPool(std::size_t limit) : limit_(limit) {}

  void* Allocate(std::size_t bytes) {
    std::size_t used = used_.load(std::memory_order_relaxed);
    do {
      if (used + bytes > limit_) return nullptr;
    } while (!used_.compare_exchange_weak(used, used + bytes));

    void* block = std::malloc(bytes);
    if (block == nullptr) {
      used_.fetch_sub(bytes);
      return nullptr;
    }
    if (VLOG_IS_ON(2)) {
      absl::MutexLock guard(&stats_mu_);
      VLOG(2) << "allocated " << bytes << " bytes; " << failures_.size() << " kinds of failures";
    }
    return block;
  }

  void Deallocate(void* block, std::size_t bytes) {
    std::free(block);
    used_.fetch_sub(bytes);
  }

  void CountFailure(int code) {
    absl::MutexLock stats_lock(&stats_mu_);
    ++failures_[code];
  }

 private:
  const std::size_t limit_;
  std::atomic<std::size_t> used_{0};
  absl::Mutex stats_mu_;
  std::map<int, uint64_t> failures_ ABSL_GUARDED_BY(stats_mu_);
};

}  // namespace device
