#include <cstdint>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

struct Column {
  std::string name;
  int type = 0;
};

struct Table {
  uint32_t oid = 0;
  std::vector<Column> columns;
};

class Catalog {
  using WriteGuard = std::unique_lock<std::shared_mutex>;
  using ReadGuard = std::shared_lock<std::shared_mutex>;

 public:
  uint32_t AddTable(const std::string& name, std::vector<Column> columns) {
    if (columns.empty()) throw std::invalid_argument("table without columns: " + name);
    WriteGuard(guard_);
    auto [it, inserted] = tables_.try_emplace(name);
    if (!inserted) throw std::runtime_error("table exists: " + name);
    it->second.oid = next_oid_++;
    it->second.columns = std::move(columns);
    return it->second.oid;
  }

  bool DropTable(const std::string& name) {
    WriteGuard hold(guard_);
    return tables_.erase(name) != 0;
  }

  std::vector<std::string> Names() const {
    ReadGuard hold(guard_);
    std::vector<std::string> names;
    names.reserve(tables_.size());
    for (const auto& entry : tables_) names.push_back(entry.first);
    return names;
  }

 private:
  mutable std::shared_mutex guard_;
  std::map<std::string, Table> tables_;
  uint32_t next_oid_ = 16384;
};
