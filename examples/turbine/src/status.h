#pragma once

#include <string>
#include <utility>

namespace turbine {

class Status {
 public:
  Status() = default;
  explicit Status(std::string message) : message_(std::move(message)) {}

  bool ok() const { return message_.empty(); }
  const std::string& message() const { return message_; }

 private:
  std::string message_;
};

inline Status OkStatus() { return Status(); }

}  // namespace turbine

#define TURBINE_TRY(expression)                       \
  do {                                                \
    ::turbine::Status try_status = (expression);      \
    if (!try_status.ok()) return try_status;          \
  } while (false)
