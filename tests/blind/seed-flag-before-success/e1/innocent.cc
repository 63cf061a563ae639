// Vector tile storage on top of the embedded SQL engine.
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <iostream>

namespace tiles {

class Status {
 public:
  static Status Ok() { return Status(); }
  static Status Busy(std::string m) { return Status(5, std::move(m)); }
  bool ok() const { return code_ == 0; }
  const std::string& message() const { return message_; }

 private:
  Status() = default;
  Status(int code, std::string m) : code_(code), message_(std::move(m)) {}
  int code_ = 0;
  std::string message_;
};

class Database {
 public:
  virtual ~Database() = default;
  virtual Status Exec(std::string_view sql) = 0;
  virtual Status Put(std::string_view table, uint64_t key,
                     const std::vector<uint8_t>& blob) = 0;
  virtual std::optional<std::vector<uint8_t>> Get(std::string_view table,
                                                  uint64_t key) = 0;
};

struct TileId {
  uint32_t z, x, y;
  uint64_t Packed() const {
    return (uint64_t{z} << 58) | (uint64_t{x} << 29) | uint64_t{y};
  }
};

class TileStore {
 public:
  explicit TileStore(std::shared_ptr<Database> db) : db_(std::move(db)) {}

  Status Write(const TileId& id, const std::vector<uint8_t>& payload) {
    std::lock_guard<std::mutex> lock(mu_);
    Status s = EnsureSchema();
    if (!s.ok()) return s;
    ++writes_;
    return db_->Put("tiles", id.Packed(), payload);
  }

  std::optional<std::vector<uint8_t>> Read(const TileId& id) {
    std::lock_guard<std::mutex> lock(mu_);
    if (!EnsureSchema().ok()) return std::nullopt;
    return db_->Get("tiles", id.Packed());
  }

  uint64_t writes() const {
    std::lock_guard<std::mutex> lock(mu_);
    return writes_;
  }

 private:
  Status EnsureSchema() {
    if (schema_ready_) return Status::Ok();
    Status s = db_->Exec("CREATE TABLE IF NOT EXISTS tiles(id INTEGER PRIMARY KEY, data BLOB)");
    if (!s.ok()) {
      std::cerr << "tile schema: " << s.message() << "\n";
      return s;
    }
    s = db_->Exec("CREATE TABLE IF NOT EXISTS meta(k TEXT, v TEXT)");
    if (!s.ok()) return s;
    schema_ready_ = true;
    return Status::Ok();
  }

  std::shared_ptr<Database> db_;
  mutable std::mutex mu_;
  bool schema_ready_ = false;
  uint64_t writes_ = 0;
};

}  // namespace tiles
