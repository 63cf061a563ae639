// Line sensor driver: frames are read through DMA windows of /dev/lsens*.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace lsens {

class Status {
 public:
  static Status Ok() { return Status(0, {}); }
  static Status Errno(std::string what) { return Status(errno, std::move(what)); }
  static Status Closed() { return Status(EBADF, "port is not open"); }
  bool ok() const { return code_ == 0; }
  const std::string& what() const { return what_; }

 private:
  Status(int code, std::string what) : code_(code), what_(std::move(what)) {}
  int code_;
  std::string what_;
};

#define RETURN_IF_ERROR(expr)            \
  do {                                   \
    ::lsens::Status status_ = (expr);    \
    if (!status_.ok()) return status_;   \
  } while (0)

class FrameSource {
 public:
  virtual ~FrameSource() = default;
  virtual Status NextFrame(uint32_t exposure, const uint8_t** data) = 0;
};

class SensorPort : public FrameSource {
 public:
  SensorPort();
  ~SensorPort() override;
  Status Open(const std::string& device);
  Status NextFrame(uint32_t exposure, const uint8_t** data) override;

 private:
  struct Impl;
  Status Allocate(uint32_t exposure, size_t length, uint8_t** out);
  std::unique_ptr<Impl> impl_;
};

struct SensorPort::Impl {
  struct Window {
    uint32_t exposure;
    void* base;
    size_t length;
  };

  explicit Impl(int fd) : fd(fd) {}
  ~Impl() {
    if (fd >= 0) ::close(fd);
  }

  int fd;
  size_t line_bytes = 4096;
  std::vector<Window> windows;
};

SensorPort::SensorPort() = default;
SensorPort::~SensorPort() = default;

Status SensorPort::Open(const std::string& device) {
  const int fd = ::open(device.c_str(), O_RDWR | O_CLOEXEC);
  if (fd < 0) return Status::Errno("open " + device);
  impl_ = std::make_unique<Impl>(fd);
  return Status::Ok();
}

Status SensorPort::Allocate(uint32_t exposure, size_t length, uint8_t** out) {
  void* base = ::mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_SHARED,
                      impl_->fd, off_t(exposure) * off_t(length));
  if (base == MAP_FAILED) return Status::Errno("mmap");
  impl_->windows.push_back({exposure, base, length});
  *out = static_cast<uint8_t*>(base);
  return Status::Ok();
}

Status SensorPort::NextFrame(uint32_t exposure, const uint8_t** data) {
  if (impl_ == nullptr) return Status::Closed();
  for (const Impl::Window& w : impl_->windows) {
    if (w.exposure == exposure) {
      *data = static_cast<const uint8_t*>(w.base);
      return Status::Ok();
    }
  }
  uint8_t* fresh = nullptr;
  RETURN_IF_ERROR(Allocate(exposure, impl_->line_bytes, &fresh));
  *data = fresh;
  return Status::Ok();
}

}  // namespace lsens
