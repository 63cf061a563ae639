#include <string>
#include <vector>

#include "driver.h"

namespace dbio {

class PostgresDriver : public Driver {
 public:
  using Driver::Driver;
  Status InsertRows(const RowBatch& batch) override;
};

Status PostgresDriver::InsertRows(const RowBatch& batch) {
  if (batch.rows.empty()) {
    return Status::InvalidArgument("no rows to insert into " + batch.table);
  }
  std::string sql = "INSERT INTO " + batch.table;
  if (batch.rows.front().values.empty()) {
    return conn_->Execute(sql + " DEFAULT VALUES", {});
  }
  sql += ColumnList(batch) + " VALUES ";
  std::vector<std::string> params;
  for (const Row& row : batch.rows) {
    sql += params.empty() ? "(" : ", (";
    for (const std::string& value : row.values) {
      params.push_back(value);
      sql += "$" + std::to_string(params.size()) + ",";
    }
    sql.back() = ')';
  }
  return conn_->Execute(sql, params);
}

}  // namespace dbio
