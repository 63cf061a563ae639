#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string>
#include <system_error>

class LockFile {
 public:
  explicit LockFile(const std::string& path)
      : path_(path), fd_(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644)) {
    if (fd_ < 0) throw std::system_error(errno, std::generic_category(), path);
    if (::flock(fd_, LOCK_EX | LOCK_NB) != 0) {
      const int error = errno;
      ::close(fd_);
      throw std::system_error(error, std::generic_category(), path);
    }
  }

  LockFile(const LockFile&) = delete;
  LockFile& operator=(const LockFile&) = delete;
  ~LockFile() { ::close(fd_); }

  int fd() const { return fd_; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  int fd_;
};

static void StampPid(const LockFile& lock) {
  char text[32];
  const int length = std::snprintf(text, sizeof text, "%ld\n", static_cast<long>(::getpid()));
  if (::ftruncate(lock.fd(), 0) != 0 || ::pwrite(lock.fd(), text, length, 0) != length) {
    throw std::system_error(errno, std::generic_category(), lock.path());
  }
}

int main(int argc, char** argv) {
  try {
    LockFile lock(argc > 1 ? argv[1] : "/tmp/worker.lock");
    StampPid(lock);
    std::printf("holding %s\n", lock.path().c_str());
    ::pause();
  } catch (const std::system_error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
