#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <sqlite3.h>

#include <stdexcept>
#include <string>

namespace nb = nanobind;

struct Cell {
  explicit Cell(const sqlite3_value* v) : raw(sqlite3_value_dup(v)) {}
  Cell(Cell&& o) noexcept : raw(o.raw) { o.raw = nullptr; }
  Cell(const Cell&) = delete;
  ~Cell() { sqlite3_value_free(raw); }

  sqlite3_value* raw;
  int type() const { return sqlite3_value_type(raw); }
  double number() const { return sqlite3_value_double(raw); }
  std::string text() const {
    auto* p = reinterpret_cast<const char*>(sqlite3_value_text(raw));
    return p ? std::string(p, sqlite3_value_bytes(raw)) : std::string();
  }
};

class Database {
 public:
  explicit Database(const std::string& path) {
    if (sqlite3_open(path.c_str(), &db_) != SQLITE_OK) {
      std::string why = sqlite3_errmsg(db_);
      sqlite3_close_v2(db_);
      throw std::runtime_error(why);
    }
  }
  Database(const Database&) = delete;
  ~Database() { sqlite3_close_v2(db_); }

  void create_function(const std::string& name, nb::callable fn) {
    auto* held = new nb::callable(std::move(fn));
    sqlite3_create_function_v2(db_, name.c_str(), -1, SQLITE_UTF8, held, &Database::invoke,
                               nullptr, nullptr, [](void* p) { delete static_cast<nb::callable*>(p); });
  }
  bool exec(const std::string& sql) {
    return sqlite3_exec(db_, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK;
  }

 private:
  static void invoke(sqlite3_context* ctx, int argc, sqlite3_value** argv) {
    auto* fn = static_cast<nb::callable*>(sqlite3_user_data(ctx));
    try {
      nb::list cells;
      for (int i = 0; i < argc; ++i) cells.append(nb::cast(Cell(argv[i])));
      sqlite3_result_double(ctx, nb::cast<double>((*fn)(*nb::tuple(cells))));
    } catch (const std::exception& e) {
      sqlite3_result_error(ctx, e.what(), -1);
    }
  }

  sqlite3* db_ = nullptr;
};

NB_MODULE(_minisql, m) {
  nb::class_<Cell>(m, "Cell")
      .def_prop_ro("type", &Cell::type)
      .def_prop_ro("number", &Cell::number)
      .def_prop_ro("text", &Cell::text);
  nb::class_<Database>(m, "Database")
      .def(nb::init<const std::string&>())
      .def("create_function", &Database::create_function)
      .def("exec", &Database::exec);
}
