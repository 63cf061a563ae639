// Python bindings of the kv storage engine: sessions and cursors.
#include <pybind11/pybind11.h>

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>

namespace py = pybind11;

extern "C" {
typedef struct kv_db kv_db;
typedef struct kv_cursor kv_cursor;
kv_db* kv_open(const char* path);
// Also closes the cursors of the database.
void kv_close(kv_db* db);
// Idle cursors may be evicted by the engine at any call that opens a cursor.
kv_cursor* kv_cursor_open(kv_db* db, const char* table);
void kv_cursor_close(kv_db* db, kv_cursor* cursor);
// The serial number of the open cursor at this address, or 0.
uint64_t kv_cursor_serial(kv_db* db, const kv_cursor* cursor);
int kv_cursor_next(kv_cursor* cursor, const char** key, size_t* length);
}

namespace kvpy {

class Cursor;

class Session : public std::enable_shared_from_this<Session> {
 public:
  explicit Session(const std::string& path) : db_(kv_open(path.c_str())) {
    if (db_ == nullptr) throw std::runtime_error("cannot open " + path);
  }
  ~Session() { Close(); }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  std::unique_ptr<Cursor> OpenCursor(const std::string& table);
  void Close();
  void Forget(kv_cursor* raw) { live_cursors_.erase(raw); }
  kv_db* db() const { return db_; }
  size_t live_count() const { return live_cursors_.size(); }

 private:
  kv_db* db_;
  std::unordered_map<kv_cursor*, Cursor*> live_cursors_;
};

class Cursor {
 public:
  Cursor(std::shared_ptr<Session> session, kv_cursor* raw)
      : session_(std::move(session)),
        raw_(raw),
        serial_(kv_cursor_serial(session_->db(), raw)) {}
  ~Cursor() {
    if (!valid_) return;
    session_->Forget(raw_);
    if (kv_cursor_serial(session_->db(), raw_) == serial_) {
      kv_cursor_close(session_->db(), raw_);
    }
  }
  Cursor(const Cursor&) = delete;
  Cursor& operator=(const Cursor&) = delete;

  py::bytes Next() {
    CheckUsable();
    const char* key = nullptr;
    size_t length = 0;
    if (kv_cursor_next(raw_, &key, &length) != 0) throw py::stop_iteration();
    return py::bytes(key, length);
  }

  void Invalidate() { valid_ = false; }

 private:
  void CheckUsable() const {
    if (!valid_) throw std::runtime_error("cursor is closed");
    if (kv_cursor_serial(session_->db(), raw_) != serial_) {
      throw std::runtime_error("cursor was evicted");
    }
  }

  std::shared_ptr<Session> session_;
  kv_cursor* raw_;
  uint64_t serial_;
  bool valid_ = true;
};

std::unique_ptr<Cursor> Session::OpenCursor(const std::string& table) {
  if (db_ == nullptr) throw std::runtime_error("session is closed");
  kv_cursor* raw = kv_cursor_open(db_, table.c_str());
  if (raw == nullptr) throw std::invalid_argument("no such table: " + table);
  auto cursor = std::make_unique<Cursor>(shared_from_this(), raw);
  assert(live_cursors_.count(raw) == 0 && "cursor is already interned");
  live_cursors_[raw] = cursor.get();
  return cursor;
}

void Session::Close() {
  if (db_ == nullptr) return;
  for (auto& entry : live_cursors_) entry.second->Invalidate();
  live_cursors_.clear();
  kv_close(db_);
  db_ = nullptr;
}

}  // namespace kvpy

PYBIND11_MODULE(_kv, m) {
  using kvpy::Cursor;
  using kvpy::Session;
  py::class_<Session, std::shared_ptr<Session>>(m, "Session")
      .def(py::init<const std::string&>(), py::arg("path"))
      .def("cursor", &Session::OpenCursor, py::arg("table"))
      .def("close", &Session::Close)
      .def_property_readonly("live_count", &Session::live_count);
  py::class_<Cursor>(m, "Cursor")
      .def("__iter__", [](py::object self) { return self; })
      .def("__next__", &Cursor::Next);
}
