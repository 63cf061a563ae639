#include "bulk.h"

#include <algorithm>

namespace bulk {

static const std::size_t sqlite_max_params = 999;

int insert_sqlite(session& db, const batch& b) {
  BULK_REQUIRE(!b.table.empty(), bad_table);
  BULK_REQUIRE(!b.columns.empty(), no_columns);

  const std::size_t width = b.columns.size();
  const std::size_t step = std::max<std::size_t>(1, sqlite_max_params / width);
  for (std::size_t begin = 0; begin < b.rows.size(); begin += step) {
    const std::size_t end = std::min(begin + step, b.rows.size());
    std::vector<std::string> groups;
    std::vector<std::string> args;
    for (std::size_t r = begin; r < end; ++r) {
      groups.push_back("(" + join(std::vector<std::string>(width, "?")) + ")");
      args.insert(args.end(), b.rows[r].begin(), b.rows[r].end());
    }
    const std::string sql =
        "INSERT INTO " + b.table + " (" + join(b.columns) + ") VALUES " + join(groups);
    BULK_REQUIRE(db.execute(sql, args), server_error);
  }
  return ok;
}

}  // namespace bulk
