#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

namespace rt {

class Status {
 public:
  Status() = default;
  static Status io_error(std::string message) { return Status(std::move(message)); }

  bool ok() const { return message_.empty(); }
  const std::string& message() const { return message_; }

 private:
  explicit Status(std::string message) : message_(std::move(message)) {}
  std::string message_;
};

#define RT_RETURN_IF_ERROR(expr)                 \
  do {                                           \
    ::rt::Status rt_status_ = (expr);            \
    if (!rt_status_.ok()) return rt_status_;     \
  } while (0)

struct IndexEntry {
  std::string key;
  std::uint64_t offset;
  std::uint64_t size;
};

// Writes named blobs followed by an index. Not thread-safe.
class ArchiveWriter {
 public:
  ArchiveWriter() = default;
  ArchiveWriter(const ArchiveWriter&) = delete;
  ArchiveWriter& operator=(const ArchiveWriter&) = delete;
  ~ArchiveWriter() {
    if (file_ != nullptr) std::fclose(file_);
  }

  Status open(const std::string& path) {
    if (file_ != nullptr) return Status::io_error("already open");
    file_ = std::fopen(path.c_str(), "wb");
    if (file_ == nullptr) return Status::io_error("cannot create " + path);
    return Status();
  }

  Status add(const std::string& key, const std::string& blob) {
    const std::uint64_t begin = offset_;
    RT_RETURN_IF_ERROR(write(blob.data(), blob.size()));
    index_.push_back({key, begin, blob.size()});
    return Status();
  }

  Status finish() {
    const std::uint64_t index_offset = offset_;
    for (const IndexEntry& entry : index_) {
      write_entry(entry);
    }
    RT_RETURN_IF_ERROR(write_u64(index_.size()));
    RT_RETURN_IF_ERROR(write_u64(index_offset));
    std::FILE* file = std::exchange(file_, nullptr);
    if (std::fclose(file) != 0) return Status::io_error("cannot flush the archive");
    return Status();
  }

 private:
  Status write(const void* data, std::size_t size) {
    if (file_ == nullptr) return Status::io_error("not open");
    if (std::fwrite(data, 1, size, file_) != size) return Status::io_error("short write");
    offset_ += size;
    return Status();
  }

  Status write_u64(std::uint64_t value) { return write(&value, sizeof value); }

  Status write_entry(const IndexEntry& entry) {
    RT_RETURN_IF_ERROR(write_u64(entry.key.size()));
    RT_RETURN_IF_ERROR(write(entry.key.data(), entry.key.size()));
    RT_RETURN_IF_ERROR(write_u64(entry.offset));
    return write_u64(entry.size);
  }

  std::FILE* file_ = nullptr;
  std::uint64_t offset_ = 0;
  std::vector<IndexEntry> index_;
};

}  // namespace rt
