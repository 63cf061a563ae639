#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace rt {

class Backend {
 public:
  virtual ~Backend() = default;
  virtual std::string name() const = 0;
  virtual int priority() const { return 0; }
  virtual bool supports(const std::string& op) const = 0;
};

// Process-wide table of backends. Backends live until the process ends, so
// lookup() hands out plain pointers.
class BackendRegistry {
 public:
  static BackendRegistry& instance() {
    static auto* registry = new BackendRegistry();
    return *registry;
  }

  Backend* install(std::unique_ptr<Backend> backend) {
    if (backend == nullptr) throw std::invalid_argument("null backend");
    const std::string name = backend->name();
    Backend* installed = backend.get();
    std::lock_guard<std::mutex> lock(mu_);
    if (backends_.count(name) != 0) {
      throw std::invalid_argument("backend " + name + " is registered already");
    }
    backends_[name] = std::move(backend);
    return installed;
  }

  Backend* lookup(const std::string& name) const {
    std::lock_guard<std::mutex> lock(mu_);
    auto it = backends_.find(name);
    return it == backends_.end() ? nullptr : it->second.get();
  }

  std::vector<Backend*> by_priority() const {
    std::vector<Backend*> result;
    {
      std::lock_guard<std::mutex> lock(mu_);
      for (const auto& entry : backends_) result.push_back(entry.second.get());
    }
    std::stable_sort(result.begin(), result.end(), [](const Backend* a, const Backend* b) {
      return a->priority() > b->priority();
    });
    return result;
  }

 private:
  BackendRegistry() = default;

  mutable std::mutex mu_;
  std::map<std::string, std::unique_ptr<Backend>> backends_;
};

class Session {
 public:
  explicit Session(const std::string& preferred)
      : preferred_(BackendRegistry::instance().lookup(preferred)) {}

  Backend& place(const std::string& op) const {
    if (preferred_ != nullptr && preferred_->supports(op)) return *preferred_;
    for (Backend* candidate : BackendRegistry::instance().by_priority()) {
      if (candidate->supports(op)) return *candidate;
    }
    throw std::runtime_error("no backend for " + op);
  }

 private:
  Backend* preferred_;
};

}  // namespace rt
