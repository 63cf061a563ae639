// Common types of the database drivers.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace dbio {

class Status {
 public:
  static Status Ok() { return Status(); }
  static Status InvalidArgument(std::string m) { return Status(std::move(m)); }
  bool ok() const { return message_.empty(); }
  const std::string& message() const { return message_; }

 private:
  Status() = default;
  explicit Status(std::string m) : message_(std::move(m)) {}
  std::string message_;
};

struct Row {
  std::vector<std::string> values;
};

struct RowBatch {
  std::string table;
  std::vector<std::string> columns;
  std::vector<Row> rows;
};

class Connection {
 public:
  virtual ~Connection() = default;
  virtual Status Execute(const std::string& sql,
                         const std::vector<std::string>& params) = 0;
};

class Driver {
 public:
  explicit Driver(Connection* conn) : conn_(conn) {}
  virtual ~Driver() = default;

  virtual Status InsertRows(const RowBatch& batch) = 0;

 protected:
  static std::string ColumnList(const RowBatch& batch) {
    std::string out;
    for (const std::string& column : batch.columns) {
      out += out.empty() ? "(" : ", ";
      out += column;
    }
    return out.empty() ? out : out + ")";
  }

  Connection* conn_;
};

}  // namespace dbio
