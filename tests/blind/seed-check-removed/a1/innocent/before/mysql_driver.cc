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

Status MysqlDriver::InsertRows(const RowBatch& batch) {
  if (batch.rows.empty()) {
    return Status::InvalidArgument("no rows to insert into " + batch.table);
  }
  if (batch.rows.front().values.empty()) {
    return conn_->Execute("INSERT INTO " + batch.table + " () VALUES ()", {});
  }
  std::string group = "(";
  for (size_t i = 0; i < batch.rows.front().values.size(); ++i) group += "?,";
  group.back() = ')';

  std::string sql = "INSERT INTO " + batch.table + ColumnList(batch) + " VALUES ";
  std::vector<std::string> params;
  for (const Row& row : batch.rows) {
    if (!params.empty()) sql += ", ";
    sql += group;
    params.insert(params.end(), row.values.begin(), row.values.end());
  }
  return conn_->Execute(sql, params);
}

}  // namespace dbio
