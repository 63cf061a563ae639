#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace rt::trace {

enum class Level : std::uint8_t { kInfo, kWarning, kError };

struct Record {
  Level level;
  std::string source;
  std::string text;
};

using SinkFn = std::function<void(const Record&)>;
using SinkId = std::uint64_t;

namespace {

struct Sink {
  SinkId id;
  Level threshold;
  std::shared_ptr<const SinkFn> fn;
};

using SinkList = std::vector<Sink>;
using Snapshot = std::shared_ptr<const SinkList>;

std::mutex& writer_mutex() {
  static auto* mu = new std::mutex();
  return *mu;
}

// Copy on write: publishers read the current list without a lock, writers
// replace it. Never destroyed: records can arrive during shutdown.
Snapshot& current() {
  static auto* list = new Snapshot(std::make_shared<const SinkList>());
  return *list;
}

bool wants(const Sink& sink, const Record& record) {
  return record.level >= sink.threshold;
}

const char* level_name(Level level) {
  switch (level) {
    case Level::kInfo:
      return "INFO";
    case Level::kWarning:
      return "WARNING";
    case Level::kError:
      return "ERROR";
  }
  return "?";
}

}  // namespace

SinkId add_sink(Level threshold, SinkFn fn) {
  static SinkId next_id = 1;
  std::lock_guard<std::mutex> lock(writer_mutex());
  const SinkId id = next_id++;
  auto updated = std::make_shared<SinkList>(*std::atomic_load(&current()));
  updated->push_back({id, threshold, std::make_shared<const SinkFn>(std::move(fn))});
  std::atomic_store(&current(), Snapshot(std::move(updated)));
  return id;
}

bool remove_sink(SinkId id) {
  std::lock_guard<std::mutex> lock(writer_mutex());
  auto updated = std::make_shared<SinkList>(*std::atomic_load(&current()));
  auto it = std::find_if(updated->begin(), updated->end(),
                         [id](const Sink& sink) { return sink.id == id; });
  if (it == updated->end()) return false;
  updated->erase(it);
  std::atomic_store(&current(), Snapshot(std::move(updated)));
  return true;
}

void publish(const Record& record) {
  const Snapshot snapshot = std::atomic_load(&current());
  for (const Sink& sink : *snapshot) {
    if (wants(sink, record)) (*sink.fn)(record);
  }
}

std::string format(const Record& record) {
  return std::string(level_name(record.level)) + " " + record.source + ": " + record.text;
}

}  // namespace rt::trace
