#include <atomic>
#include <cstddef>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>

class Gauge;

class Metrics {
 public:
  static Metrics& Global() {
    static Metrics metrics;
    return metrics;
  }
  void Put(const std::string& name, Gauge* gauge) {
    std::lock_guard<std::mutex> hold(mutex_);
    gauges_[name] = gauge;
  }
  void Take(const std::string& name) {
    std::lock_guard<std::mutex> hold(mutex_);
    gauges_.erase(name);
  }
  std::string Scrape();

 private:
  std::mutex mutex_;
  std::unordered_map<std::string, Gauge*> gauges_;
};

class Gauge {
 public:
  explicit Gauge(std::string name) : name_(std::move(name)) { Metrics::Global().Put(name_, this); }

  Gauge(Gauge&& other)
      : name_(std::exchange(other.name_, {})), value_(other.value_.load()) {
    Metrics::Global().Put(name_, this);
  }

  Gauge& operator=(Gauge&&) = delete;

  ~Gauge() {
    if (!name_.empty()) Metrics::Global().Take(name_);
  }

  void Set(double value) { value_.store(value); }
  double Get() const { return value_.load(); }

 private:
  std::string name_;
  std::atomic<double> value_{0.0};
};

std::string Metrics::Scrape() {
  std::lock_guard<std::mutex> hold(mutex_);
  std::string text;
  for (const auto& [name, gauge] : gauges_) {
    text += name + " " + std::to_string(gauge->Get()) + "\n";
  }
  return text;
}

std::pair<Gauge, Gauge> MakeQueueGauges(const std::string& queue) {
  return {Gauge(queue + "_depth"), Gauge(queue + "_age_seconds")};
}
