#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

class UniqueFd {
 public:
  explicit UniqueFd(int fd = -1) : fd_(fd) {}
  UniqueFd(UniqueFd&& other) noexcept : fd_(other.release()) {}
  UniqueFd& operator=(UniqueFd&&) = delete;
  ~UniqueFd() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }
  explicit operator bool() const { return fd_ >= 0; }

 private:
  int fd_;
};

struct FileCloser {
  void operator()(FILE* file) const { ::fclose(file); }
};
using FileHandle = std::unique_ptr<FILE, FileCloser>;

std::optional<std::vector<std::string>> ReadSpool(int directory, const std::string& job) {
  UniqueFd fd(::openat(directory, job.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  if (!fd) return std::nullopt;

  FileHandle stream(::fdopen(fd.release(), "r"));
  if (!stream) return std::nullopt;

  std::vector<std::string> lines;
  char buffer[1024];
  std::string line;
  while (::fgets(buffer, sizeof buffer, stream.get()) != nullptr) {
    line += buffer;
    if (line.back() == '\n') {
      line.pop_back();
      lines.push_back(std::move(line));
      line.clear();
    }
  }
  if (::ferror(stream.get())) return std::nullopt;
  if (!line.empty()) lines.push_back(std::move(line));
  return lines;
}
