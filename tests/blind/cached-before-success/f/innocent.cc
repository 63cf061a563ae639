#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace exec {

class [[nodiscard]] Status {
 public:
  static Status Ok() { return Status(""); }
  static Status Internal(std::string message) {
    return Status(std::move(message));
  }
  bool ok() const { return message_.empty(); }
  const std::string &message() const { return message_; }

 private:
  explicit Status(std::string message) : message_(std::move(message)) {}
  std::string message_;
};

#define EXEC_RETURN_IF_ERROR(expr)                        \
  do {                                                    \
    if (Status status_ = (expr); !status_.ok()) return status_; \
  } while (0)

using Binary = std::vector<std::uint8_t>;

// Defined by the backend that is linked in.
Status CompileHlo(const std::string &hlo, Binary *out);

class Executable {
 public:
  // Uploads the code; the executable can run only after that.
  Status Load(const Binary &binary) {
    if (binary.size() < 4) return Status::Internal("truncated binary");
    code_ = binary;
    return Status::Ok();
  }
  std::size_t code_size() const { return code_.size(); }

 private:
  Binary code_;
};

class ExecutableCache {
 public:
  Status GetOrCompile(const std::string &hlo, std::shared_ptr<Executable> *out) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (auto it = cache_.find(hlo); it != cache_.end()) {
      *out = it->second;
      return Status::Ok();
    }
    Binary binary;
    EXEC_RETURN_IF_ERROR(CompileHlo(hlo, &binary));
    auto executable = std::make_shared<Executable>();
    EXEC_RETURN_IF_ERROR(executable->Load(binary));
    cache_.emplace(hlo, executable);
    *out = std::move(executable);
    return Status::Ok();
  }

  void Clear() {
    std::lock_guard<std::mutex> lock(mutex_);
    cache_.clear();
  }

 private:
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Executable>> cache_;
};

}  // namespace exec
