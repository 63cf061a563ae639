#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "driver.h"

namespace dbio {

class MysqlDriver : public Driver {
 public:
  using Driver::Driver;

 private:
  Status InsertRows(const RowBatch& batch) override;
};

// The server refuses prepared statements with more placeholders.
constexpr size_t kMaxPlaceholders = 65535;

Status MysqlDriver::InsertRows(const RowBatch& batch) {
  const size_t width = batch.rows.front().values.size();
  std::string group = "(";
  for (size_t i = 0; i < width; ++i) group += "?,";
  group.back() = ')';

  const std::string head =
      "INSERT INTO " + batch.table + ColumnList(batch) + " VALUES ";
  const size_t chunk = std::max<size_t>(1, kMaxPlaceholders / width);
  for (size_t begin = 0; begin < batch.rows.size(); begin += chunk) {
    const size_t end = std::min(begin + chunk, batch.rows.size());
    std::string sql = head;
    std::vector<std::string> params;
    for (size_t r = begin; r < end; ++r) {
      if (r != begin) sql += ", ";
      sql += group;
      const Row& row = batch.rows[r];
      params.insert(params.end(), row.values.begin(), row.values.end());
    }
    if (Status s = conn_->Execute(sql, params); !s.ok()) return s;
  }
  return Status::Ok();
}

}  // namespace dbio
