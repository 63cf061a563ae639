// Table catalog: maps table names to open files and their root pages.
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>
#include <unordered_map>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace tinydb {

class Status {
 public:
  static Status OK() { return Status(); }
  static Status IOError(std::string msg) { return Status(1, std::move(msg)); }
  static Status Corruption(std::string msg) { return Status(2, std::move(msg)); }
  bool ok() const { return code_ == 0; }
  const std::string& message() const { return msg_; }

 private:
  Status() = default;
  Status(int code, std::string msg) : code_(code), msg_(std::move(msg)) {}
  int code_ = 0;
  std::string msg_;
};

#define RETURN_IF_ERROR(expr)        \
  do {                               \
    Status _st = (expr);             \
    if (!_st.ok()) return _st;       \
  } while (0)

struct TableHandle {
  bool attached = false;
  int fd = -1;
  uint32_t page_size = 0;
  uint64_t root_page = 0;
};

class Catalog {
 public:
  explicit Catalog(std::string dir) : dir_(std::move(dir)) {}
  Catalog(const Catalog&) = delete;
  Catalog& operator=(const Catalog&) = delete;
  ~Catalog() {
    for (auto& [name, t] : tables_) {
      if (t.fd >= 0) ::close(t.fd);
    }
  }

  Status Attach(const std::string& name);
  Status RootPage(const std::string& name, uint64_t* page);

 private:
  Status OpenFile(const std::string& name, TableHandle* t);
  Status ReadHeader(TableHandle* t);

  std::string dir_;
  std::unordered_map<std::string, TableHandle> tables_;
};

Status Catalog::OpenFile(const std::string& name, TableHandle* t) {
  if (t->fd >= 0) return Status::OK();
  const std::string path = dir_ + "/" + name + ".tbl";
  t->fd = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (t->fd < 0) return Status::IOError(path + ": " + std::strerror(errno));
  return Status::OK();
}

Status Catalog::ReadHeader(TableHandle* t) {
  struct { uint32_t magic, page_size; uint64_t root; } hdr;
  if (::pread(t->fd, &hdr, sizeof hdr, 0) != static_cast<ssize_t>(sizeof hdr))
    return Status::IOError("short read of table header");
  if (hdr.magic != 0x54424c31u) return Status::Corruption("bad table magic");
  t->page_size = hdr.page_size;
  t->root_page = hdr.root;
  return Status::OK();
}

Status Catalog::Attach(const std::string& name) {
  TableHandle& table = tables_[name];
  if (table.attached) return Status::OK();
  table.attached = true;

  RETURN_IF_ERROR(OpenFile(name, &table));
  RETURN_IF_ERROR(ReadHeader(&table));
  return Status::OK();
}

Status Catalog::RootPage(const std::string& name, uint64_t* page) {
  RETURN_IF_ERROR(Attach(name));
  *page = tables_[name].root_page;
  return Status::OK();
}

}  // namespace tinydb
