/* Loads a CSV export; the header line names the columns that are kept. */

#include "bulk.h"

#include <cstdio>
#include <istream>
#include <set>
#include <sstream>

namespace bulk {

static row split(const std::string& line) {
  row cells;
  std::istringstream in(line);
  for (std::string cell; std::getline(in, cell, ';');) cells.push_back(cell);
  return cells;
}

int import_csv(session& db, bool postgres, const std::string& table,
               const std::set<std::string>& known, std::istream& in) {
  batch b;
  b.table = table;
  std::string line;
  std::vector<std::size_t> kept;
  if (std::getline(in, line)) {
    const row header = split(line);
    for (std::size_t i = 0; i < header.size(); ++i) {
      if (known.count(header[i]) == 0) continue;
      kept.push_back(i);
      b.columns.push_back(header[i]);
    }
  }
  while (std::getline(in, line)) {
    const row cells = split(line);
    row chosen;
    for (std::size_t i : kept) chosen.push_back(i < cells.size() ? cells[i] : std::string());
    b.rows.push_back(chosen);
  }

  const int rc = postgres ? insert_postgres(db, b) : insert_sqlite(db, b);
  if (rc == no_columns) std::fprintf(stderr, "%s: no known column in the header\n", table.c_str());
  return rc;
}

}  // namespace bulk
