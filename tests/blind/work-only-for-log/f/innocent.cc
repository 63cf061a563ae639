#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <numeric>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace rt {

inline int verbosity() {
  static const int level = [] {
    const char* text = std::getenv("RT_VLOG");
    return text != nullptr ? std::atoi(text) : 0;
  }();
  return level;
}

#define RT_VLOG_IS_ON(level) (::rt::verbosity() >= (level))
#define RT_VLOG(level) \
  if (!RT_VLOG_IS_ON(level)) {} else std::clog << "[rt] "

struct Launch {
  std::string kernel;
  std::vector<std::int64_t> grid;
  std::vector<std::size_t> operands;
};

using Batch = std::vector<Launch>;

std::int64_t grid_size(const Launch& launch) {
  return std::accumulate(launch.grid.begin(), launch.grid.end(), std::int64_t{1},
                         std::multiplies<>());
}

std::string dump(const Batch& batch) {
  std::ostringstream out;
  for (const Launch& launch : batch) {
    out << "  " << launch.kernel << '<';
    for (std::size_t i = 0; i < launch.grid.size(); ++i) out << (i ? "," : "") << launch.grid[i];
    out << ">(";
    for (std::size_t i = 0; i < launch.operands.size(); ++i) {
      out << (i ? ", %" : "%") << launch.operands[i];
    }
    out << ")\n";
  }
  return out.str();
}

class Stream {
 public:
  void enqueue(const Launch& launch) { blocks_ += grid_size(launch); }
  std::int64_t blocks() const { return blocks_; }

 private:
  std::int64_t blocks_ = 0;
};

class Scheduler {
 public:
  explicit Scheduler(std::size_t streams) : streams_(streams == 0 ? 1 : streams) {}

  void dispatch(const Batch& batch) {
    if (batch.empty()) return;
    Stream& stream = least_loaded();
    for (const Launch& launch : batch) stream.enqueue(launch);
    launches_ += batch.size();
    RT_VLOG(2) << "dispatched " << batch.size() << " launches:\n" << dump(batch);
  }

  std::size_t launches() const { return launches_; }

 private:
  Stream& least_loaded() {
    Stream* best = &streams_.front();
    for (Stream& candidate : streams_) {
      if (candidate.blocks() < best->blocks()) best = &candidate;
    }
    RT_VLOG(3) << "stream " << (best - streams_.data()) << '\n';
    return *best;
  }

  std::vector<Stream> streams_;
  std::size_t launches_ = 0;
};

}  // namespace rt
