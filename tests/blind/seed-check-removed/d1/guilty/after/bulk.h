/* Bulk insertion: one interface, one file per server. */
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace bulk {

enum errc { ok = 0, bad_table = 1, no_columns = 2, server_error = 3 };

using row = std::vector<std::string>;

struct batch {
  std::string table;
  std::vector<std::string> columns;
  std::vector<row> rows;  // each as long as columns
};

struct session {
  virtual ~session() = default;
  // Binds args to the placeholders of sql and executes it.
  virtual bool execute(const std::string& sql, const std::vector<std::string>& args) = 0;
};

int insert_sqlite(session& db, const batch& b);
int insert_postgres(session& db, const batch& b);

// Returns from the calling function with code unless cond holds.
#define BULK_REQUIRE(cond, code) \
  do {                           \
    if (!(cond)) return (code);  \
  } while (0)

inline std::string join(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) {
    if (!text.empty()) text += ", ";
    text += part;
  }
  return text;
}

}  // namespace bulk
