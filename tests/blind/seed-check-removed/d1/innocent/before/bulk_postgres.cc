#include "bulk.h"

#include <algorithm>

namespace bulk {

static const std::size_t postgres_max_params = 32767;

int insert_postgres(session& db, const batch& b) {
  BULK_REQUIRE(!b.table.empty(), bad_table);
  BULK_REQUIRE(!b.columns.empty(), no_columns);

  const std::size_t width = b.columns.size();
  const std::size_t step = std::max<std::size_t>(1, postgres_max_params / width);
  for (std::size_t begin = 0; begin < b.rows.size(); begin += step) {
    const std::size_t end = std::min(begin + step, b.rows.size());
    std::vector<std::string> groups;
    std::vector<std::string> args;
    for (std::size_t r = begin; r < end; ++r) {
      std::vector<std::string> marks;
      for (std::size_t c = 0; c < width; ++c)
        marks.push_back("$" + std::to_string(args.size() + c + 1));
      groups.push_back("(" + join(marks) + ")");
      args.insert(args.end(), b.rows[r].begin(), b.rows[r].end());
    }
    const std::string sql =
        "INSERT INTO " + b.table + " (" + join(b.columns) + ") VALUES " + join(groups);
    BULK_REQUIRE(db.execute(sql, args), server_error);
  }
  return ok;
}

}  // namespace bulk
