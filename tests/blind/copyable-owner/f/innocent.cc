#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace io {

[[noreturn]] void ThrowErrno(const std::string &what) {
  throw std::system_error(errno, std::generic_category(), what);
}

class FileDescriptor {
 public:
  explicit FileDescriptor(const std::string &path)
      : fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (fd_ < 0) ThrowErrno("open " + path);
  }
  FileDescriptor(const FileDescriptor &) = delete;
  FileDescriptor &operator=(const FileDescriptor &) = delete;
  ~FileDescriptor() { ::close(fd_); }

  int get() const { return fd_; }

 private:
  int fd_;
};

// A read-only mapping of a whole weights file.
class MappedFile {
 public:
  explicit MappedFile(const std::string &path) {
    FileDescriptor fd(path);
    struct stat info;
    if (::fstat(fd.get(), &info) != 0) ThrowErrno("stat " + path);
    size_ = static_cast<std::size_t>(info.st_size);
    if (size_ == 0) return;
    base_ = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, fd.get(), 0);
    if (base_ == MAP_FAILED) ThrowErrno("mmap " + path);
  }
  MappedFile(const MappedFile &) = delete;
  MappedFile &operator=(const MappedFile &) = delete;

  ~MappedFile() {
    if (base_ != nullptr) ::munmap(base_, size_);
  }

  std::string_view bytes() const {
    return {static_cast<const char *>(base_), size_};
  }

 private:
  void *base_ = nullptr;
  std::size_t size_ = 0;
};

// Header: "WGTS", then the number of tensors.
class WeightsReader {
 public:
  explicit WeightsReader(const std::string &path) : file_(path) {
    if (file_.bytes().substr(0, 4) != "WGTS" || file_.bytes().size() < 8) {
      throw std::invalid_argument(path + " is not a weights file");
    }
  }

  std::uint32_t NumTensors() const {
    std::uint32_t count = 0;
    std::memcpy(&count, file_.bytes().data() + 4, sizeof(count));
    return count;
  }

 private:
  MappedFile file_;
};

}  // namespace io
