#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace mrt {

struct Dim3 {
  std::uint32_t x = 1, y = 1, z = 1;
};

struct Kernel {
  std::string name;
  void (*entry)(Dim3 block, void **args) = nullptr;
  Dim3 grid;
};

enum class Status { kOk, kNoEntry, kEmptyGrid };

bool EnvFlag(const char *name) {
  const char *value = std::getenv(name);
  return value != nullptr && *value != '\0' && std::strcmp(value, "0") != 0;
}

class Stream {
 public:
  explicit Stream(int ordinal) : ordinal_(ordinal) {}

  Status LaunchKernel(const Kernel &kernel, void **args);
  Status LaunchAll(const std::vector<std::pair<Kernel, void **>> &work);

  std::uint64_t launched() const { return launched_; }

 private:
  int ordinal_;
  std::uint64_t launched_ = 0;
};

Status Stream::LaunchKernel(const Kernel &kernel, void **args) {
  if (kernel.entry == nullptr) return Status::kNoEntry;
  const Dim3 &grid = kernel.grid;
  if (grid.x == 0 || grid.y == 0 || grid.z == 0) return Status::kEmptyGrid;
  static const bool trace = EnvFlag("MRT_LAUNCH_TRACE");
  if (trace) {
    std::fprintf(stderr, "[mrt] stream %d: %s <%u,%u,%u>\n", ordinal_,
                 kernel.name.c_str(), grid.x, grid.y, grid.z);
  }
  for (std::uint32_t z = 0; z < grid.z; ++z) {
    for (std::uint32_t y = 0; y < grid.y; ++y) {
      for (std::uint32_t x = 0; x < grid.x; ++x) {
        kernel.entry(Dim3{x, y, z}, args);
      }
    }
  }
  ++launched_;
  return Status::kOk;
}

Status Stream::LaunchAll(
    const std::vector<std::pair<Kernel, void **>> &work) {
  for (const auto &[kernel, args] : work) {
    Status status = LaunchKernel(kernel, args);
    if (status != Status::kOk) return status;
  }
  return Status::kOk;
}

}  // namespace mrt
