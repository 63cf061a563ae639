#include <pybind11/pybind11.h>

#include <cstddef>
#include <list>
#include <map>
#include <string>

namespace py = pybind11;

namespace native {
struct Statement {
  std::string sql;
  std::size_t row = 0;
  bool step() { return ++row < 10; }
};
struct Connection {
  std::list<Statement> statements;
};
}  // namespace native

struct Handle {
  virtual ~Handle() = default;
  bool open = true;
};

static std::map<void*, Handle*>& registry() {
  static std::map<void*, Handle*> handles;
  return handles;
}

struct StatementHandle : Handle {
  explicit StatementHandle(native::Statement* s) : stmt(s) { registry()[s] = this; }
  StatementHandle(const StatementHandle&) = delete;
  ~StatementHandle() override {
    if (open) registry().erase(stmt);
  }
  bool step() {
    if (!open) throw py::value_error("statement is closed");
    return stmt->step();
  }
  native::Statement* stmt;
};

class ConnectionHandle : public Handle {
 public:
  ConnectionHandle() : conn_(new native::Connection) { registry()[conn_] = this; }
  ConnectionHandle(const ConnectionHandle&) = delete;
  ~ConnectionHandle() override { close(); }

  StatementHandle* prepare(const std::string& sql) {
    if (!open) throw py::value_error("connection is closed");
    conn_->statements.push_back({sql});
    return new StatementHandle(&conn_->statements.back());
  }

  void close() {
    if (!open) return;
    registry().erase(conn_);
    open = false;
    delete conn_;
  }

 private:
  native::Connection* conn_;
};

PYBIND11_MODULE(_db, m) {
  py::class_<StatementHandle>(m, "Statement")
      .def("step", &StatementHandle::step)
      .def_property_readonly("is_open", [](const StatementHandle& s) { return s.open; });
  py::class_<ConnectionHandle>(m, "Connection")
      .def(py::init<>())
      .def("prepare", &ConnectionHandle::prepare, py::arg("sql"))
      .def("close", &ConnectionHandle::close);
}
