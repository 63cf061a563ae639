#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <set>
#include <string>

namespace nb = nanobind;

namespace db {

class Statement;

class Connection {
 public:
  explicit Connection(std::string dsn) : dsn_(std::move(dsn)) {}
  Connection(const Connection&) = delete;
  Statement* prepare(const std::string& sql);
  void enlist(Statement* s) { open_.insert(s); }
  void forget(Statement* s) { open_.erase(s); }
  size_t open_statements() const { return open_.size(); }
  const std::string& dsn() const { return dsn_; }

 private:
  std::string dsn_;
  std::set<Statement*> open_;
};

class Statement {
 public:
  Statement(Connection* connection, std::string sql) : connection_(connection), sql_(std::move(sql)) {
    connection_->enlist(this);
  }
  Statement(const Statement&) = delete;
  ~Statement() { connection_->forget(this); }
  const std::string& sql() const { return sql_; }
  std::string plan() const { return "scan on " + connection_->dsn() + " for " + sql_; }

 private:
  Connection* connection_;
  std::string sql_;
};

Statement* Connection::prepare(const std::string& sql) { return new Statement(this, sql); }

}  // namespace db

NB_MODULE(_db, m) {
  using namespace db;
  nb::class_<Statement>(m, "Statement")
      .def_prop_ro("sql", &Statement::sql)
      .def("plan", &Statement::plan);
  nb::class_<Connection>(m, "Connection")
      .def(nb::init<std::string>(), nb::arg("dsn"))
      .def("prepare", &Connection::prepare, nb::arg("sql"), nb::rv_policy::take_ownership,
           nb::keep_alive<0, 1>(), nb::keep_alive<1, 0>())
      .def_prop_ro("open_statements", &Connection::open_statements);
}
