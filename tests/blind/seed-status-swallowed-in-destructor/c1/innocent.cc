#include <cstdint>
#include <cstring>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace kestrel {

class [[nodiscard]] Status {
 public:
  enum class Code { kOk, kIoError, kInvalidArgument };

  Status() = default;
  Status(Code code, std::string message)
      : code_(code), message_(std::move(message)) {}

  static Status Ok() { return Status(); }
  static Status IoError(std::string message) {
    return Status(Code::kIoError, std::move(message));
  }
  static Status InvalidArgument(std::string message) {
    return Status(Code::kInvalidArgument, std::move(message));
  }

  bool ok() const { return code_ == Code::kOk; }
  const std::string& message() const { return message_; }

 private:
  Code code_ = Code::kOk;
  std::string message_;
};

#define KESTREL_RETURN_IF_ERROR(expr)        \
  do {                                       \
    ::kestrel::Status _status = (expr);      \
    if (!_status.ok()) return _status;       \
  } while (false)

#define KESTREL_LOG(severity) (std::cerr << "[" #severity "] ")

// A file that is only ever appended to.
class AppendFile {
 public:
  virtual ~AppendFile() = default;
  virtual Status Append(const uint8_t* data, size_t size) = 0;
  virtual Status Sync() = 0;
  virtual const std::string& path() const = 0;
};

// Writes length-prefixed records to one segment of the write-ahead log.
// Records are grouped in memory until `kGroupBytes` have been collected.
class SegmentWriter {
 public:
  static constexpr size_t kGroupBytes = 64 * 1024;
  static constexpr size_t kMaxRecordBytes = 16 * 1024 * 1024;

  explicit SegmentWriter(std::unique_ptr<AppendFile> file)
      : file_(std::move(file)) {
    pending_.reserve(kGroupBytes);
  }

  SegmentWriter(const SegmentWriter&) = delete;
  SegmentWriter& operator=(const SegmentWriter&) = delete;

  ~SegmentWriter();

  Status AddRecord(const std::string& payload) {
    if (payload.size() > kMaxRecordBytes) {
      return Status::InvalidArgument("record too large");
    }
    const uint32_t length = static_cast<uint32_t>(payload.size());
    uint8_t header[sizeof(length)];
    std::memcpy(header, &length, sizeof(length));
    pending_.insert(pending_.end(), header, header + sizeof(header));
    pending_.insert(pending_.end(), payload.begin(), payload.end());
    ++num_records_;
    if (pending_.size() >= kGroupBytes) {
      return FlushPending();
    }
    return Status::Ok();
  }

  Status Commit() { return FlushPending(); }

  uint64_t num_records() const { return num_records_; }

 private:
  Status FlushPending() {
    // After a failure the tail of the file is unknown; nothing may follow it.
    if (!sticky_error_.ok()) return sticky_error_;
    if (pending_.empty()) return Status::Ok();
    sticky_error_ = AppendAndSync();
    if (sticky_error_.ok()) pending_.clear();
    return sticky_error_;
  }

  Status AppendAndSync() {
    KESTREL_RETURN_IF_ERROR(file_->Append(pending_.data(), pending_.size()));
    return file_->Sync();
  }

  std::unique_ptr<AppendFile> file_;
  std::vector<uint8_t> pending_;
  Status sticky_error_;
  uint64_t num_records_ = 0;
};

SegmentWriter::~SegmentWriter() {
  // Records added since the last Commit() still belong in the segment.
  const Status flushed = FlushPending();
  if (!flushed.ok()) {
    KESTREL_LOG(WARNING) << "closing segment " << file_->path() << ": "
                         << flushed.message() << "\n";
  }
}

// Copies every record of a batch to a segment and makes it durable.
Status WriteBatch(SegmentWriter& writer,
                  const std::vector<std::string>& batch) {
  for (const std::string& record : batch) {
    KESTREL_RETURN_IF_ERROR(writer.AddRecord(record));
  }
  Status committed = writer.Commit();
  if (committed.ok()) {
    KESTREL_LOG(INFO) << "committed " << batch.size() << " records\n";
  }
  return committed;
}

}  // namespace kestrel
