// Spool of fetched pages: written under a temporary name, published on close.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace crawl {

namespace fs = std::filesystem;

class SpoolFile {
 public:
  explicit SpoolFile(fs::path target)
      : target_(std::move(target)),
        partial_(fs::path(target_).concat(".part")),
        out_(partial_, std::ios::binary | std::ios::trunc) {}
  SpoolFile(const SpoolFile&) = delete;
  SpoolFile& operator=(const SpoolFile&) = delete;
  ~SpoolFile();

  bool good() const { return out_.good(); }
  void header(std::string_view key, std::string_view value) {
    out_ << key << ": " << value << "\r\n";
  }
  void body(std::string_view bytes) { out_ << "\r\n" << bytes; }

 private:
  fs::path target_;
  fs::path partial_;
  std::ofstream out_;
};

SpoolFile::~SpoolFile() {
  out_.close();
  const bool complete = out_.good();
  std::error_code ec;
  if (complete) {
    fs::rename(partial_, target_, ec);
  } else {
    fs::remove(partial_, ec);
  }
}

struct Page {
  std::string url;
  std::string content_type;
  std::string bytes;
  int http_code = 0;
};

class PageStore {
 public:
  explicit PageStore(fs::path root) : root_(std::move(root)) {
    fs::create_directories(root_);
  }

  bool add(const Page& page) {
    if (page.http_code != 200) return false;
    SpoolFile file(root_ / name(page.url));
    if (!file.good()) {
      std::fprintf(stderr, "spool: cannot open a file for %s\n", page.url.c_str());
      return false;
    }
    file.header("URL", page.url);
    file.header("Content-Type", page.content_type);
    file.body(page.bytes);
    return file.good();
  }

 private:
  static std::string name(const std::string& url) {
    char buf[2 * sizeof(size_t) + 1];
    std::snprintf(buf, sizeof buf, "%zx", std::hash<std::string>{}(url));
    return buf;
  }

  fs::path root_;
};

}  // namespace crawl
