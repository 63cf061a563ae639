#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>

#include "absl/log/log.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace storage {

class SnapshotWriter {
 public:
  SnapshotWriter(std::FILE* file, std::string path) : file_(file), path_(std::move(path)) {}
  SnapshotWriter(const SnapshotWriter&) = delete;
  SnapshotWriter& operator=(const SnapshotWriter&) = delete;

  ~SnapshotWriter() {
    if (file_ == nullptr) return;
    const absl::Status status = Finish();
    if (!status.ok()) LOG(ERROR) << status;
  }

  absl::Status Append(const std::string& record) {
    if (file_ == nullptr) return absl::FailedPreconditionError("snapshot is finished");
    const uint32_t size = static_cast<uint32_t>(record.size());
    if (std::fwrite(&size, sizeof size, 1, file_) != 1 ||
        std::fwrite(record.data(), 1, record.size(), file_) != record.size()) {
      return absl::DataLossError(absl::StrCat("short write to ", path_));
    }
    ++records_;
    return absl::OkStatus();
  }

  absl::Status Finish() {
    if (file_ == nullptr) return absl::OkStatus();
    std::FILE* file = std::exchange(file_, nullptr);
    const bool written = std::fwrite(&records_, sizeof records_, 1, file) == 1;
    const bool closed = std::fclose(file) == 0;
    if (!written || !closed) {
      return absl::DataLossError(absl::StrCat("cannot finish ", path_));
    }
    return absl::OkStatus();
  }

 private:
  std::FILE* file_;
  std::string path_;
  uint64_t records_ = 0;
};

}  // namespace storage
