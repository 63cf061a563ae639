// nanobind bindings of libkv: databases and cursors.
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

namespace nb = nanobind;
using namespace nb::literals;

extern "C" {
typedef struct kv_db kv_db;
typedef struct kv_cursor kv_cursor;
kv_db *kv_open(const char *path);
// Rolls back, then frees the handle together with all its cursors.
void kv_close(kv_db *db);
int kv_put(kv_db *db, const char *key, const char *value);
kv_cursor *kv_cursor_open(kv_db *db, const char *prefix);
void kv_cursor_free(kv_cursor *cursor);
const char *kv_cursor_next(kv_cursor *cursor);
}

class Cursor;

class Database : public std::enable_shared_from_this<Database> {
public:
  explicit Database(const std::string &path) : db_(kv_open(path.c_str())) {
    if (!db_)
      throw nb::value_error("cannot open the database");
  }
  ~Database() { close(); }

  void put(const std::string &key, const std::string &value) {
    checkOpen();
    if (kv_put(db_, key.c_str(), value.c_str()) != 0)
      throw std::runtime_error("put failed");
  }
  std::shared_ptr<Cursor> scan(const std::string &prefix);

  void close();
  void release(kv_cursor *raw) {
    liveCursors_.erase(raw);
    kv_cursor_free(raw);
  }

private:
  void checkOpen() const {
    if (!db_)
      throw nb::value_error("the database is closed");
  }

  kv_db *db_;
  std::unordered_map<kv_cursor *, Cursor *> liveCursors_;
};

class Cursor {
public:
  Cursor(std::shared_ptr<Database> owner, kv_cursor *raw) : owner_(std::move(owner)), raw_(raw) {}
  ~Cursor() { finish(); }

  std::optional<std::string> next() {
    checkValid();
    const char *key = kv_cursor_next(raw_);
    return key ? std::optional<std::string>(key) : std::nullopt;
  }
  void finish() {
    if (!valid_)
      return;
    owner_->release(raw_);
    setInvalid();
  }
  void setInvalid() { valid_ = false; }

private:
  void checkValid() const {
    if (!valid_)
      throw nb::value_error("the cursor is closed");
  }

  std::shared_ptr<Database> owner_;
  kv_cursor *raw_;
  bool valid_ = true;
};

void Database::close() {
  if (!db_)
    return;
  for (auto &[raw, cursor] : std::exchange(liveCursors_, {}))
    cursor->setInvalid();
  kv_close(std::exchange(db_, nullptr));
}

std::shared_ptr<Cursor> Database::scan(const std::string &prefix) {
  checkOpen();
  kv_cursor *raw = kv_cursor_open(db_, prefix.c_str());
  auto cursor = std::make_shared<Cursor>(shared_from_this(), raw);
  liveCursors_[raw] = cursor.get();
  return cursor;
}

NB_MODULE(_kv, m) {
  nb::class_<Cursor>(m, "Cursor").def("next", &Cursor::next).def("close", &Cursor::finish);
  nb::class_<Database>(m, "Database")
      .def(nb::new_([](const std::string &path) { return std::make_shared<Database>(path); }))
      .def("put", &Database::put, "key"_a, "value"_a)
      .def("scan", &Database::scan, "prefix"_a = "")
      .def("close", &Database::close)
      .def("__enter__", [](nb::object self) { return self; })
      .def("__exit__", [](Database &self, nb::args) { self.close(); });
}
