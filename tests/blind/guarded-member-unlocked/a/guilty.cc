#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"

namespace storage {

struct Record {
  uint64_t sequence = 0;
  std::string body;
};

class WriteAheadLog {
 public:
  uint64_t Append(std::string body) {
    absl::MutexLock lock(&mu_);
    pending_.push_back(Record{++sequence_, std::move(body)});
    return sequence_;
  }

  std::vector<Record> TakePending() {
    absl::MutexLock lock(&mu_);
    std::vector<Record> out;
    out.swap(pending_);
    return out;
  }

  absl::Status CheckBudget(uint64_t budget) const {
    const uint64_t used = PendingBytes();
    if (used > budget) return absl::ResourceExhaustedError("write-ahead log is full");
    return absl::OkStatus();
  }

  uint64_t PendingBytes() const {
    uint64_t bytes = 0;
    for (const Record& r : pending_) bytes += sizeof(r.sequence) + r.body.size();
    return bytes;
  }

 private:
  mutable absl::Mutex mu_;
  uint64_t sequence_ ABSL_GUARDED_BY(mu_) = 0;
  std::vector<Record> pending_ ABSL_GUARDED_BY(mu_);
};

}  // namespace storage
