// Public interface of the executor. Installed as <rt/executor.h>.
#ifndef RT_EXECUTOR_H_
#define RT_EXECUTOR_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace rt {

using Task = std::function<void()>;

enum class Priority : std::uint8_t { kLow, kNormal, kHigh };

struct ExecutorOptions {
  std::string name = "rt-worker";
  std::size_t threads = 0;  // 0: one per core
  std::size_t max_pending = 1024;
  std::chrono::milliseconds idle_timeout{500};
};

struct ExecutorStats {
  std::size_t submitted = 0;
  std::size_t completed = 0;
  std::size_t rejected = 0;

  double load() const {
    return submitted == 0 ? 0.0
                          : static_cast<double>(submitted - completed) / submitted;
  }
};

// Runs tasks on a fixed set of threads. Not copyable; thread-safe.
class Executor {
 public:
  explicit Executor(ExecutorOptions options = {});
  ~Executor();

  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  // Returns false if max_pending tasks are waiting already.
  bool submit(Task task, Priority priority = Priority::kNormal);

  // Blocks until every submitted task has completed.
  void drain();

  ExecutorStats stats() const;
  const ExecutorOptions& options() const { return options_; }

 private:
  class PendingQueue;
  struct Workers;

  void run_one();

  ExecutorOptions options_;
  std::unique_ptr<PendingQueue> pending_;
  Workers* workers_;
};

}  // namespace rt

#endif  // RT_EXECUTOR_H_
