#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace telemetry {

struct Span {
  virtual ~Span() = default;
  virtual void Annotate(const std::string& note) = 0;
};

struct Totals {
  void Record(const std::string& name, double seconds) {
    std::lock_guard<std::mutex> guard(mu);
    by_name[name] += seconds;
  }
  double Get(const std::string& name) {
    std::lock_guard<std::mutex> guard(mu);
    auto it = by_name.find(name);
    return it == by_name.end() ? 0.0 : it->second;
  }
  std::mutex mu;
  std::map<std::string, double> by_name;
};

class TimedSpan : public Span {
 public:
  TimedSpan(std::string name, std::shared_ptr<Totals> totals)
      : name_(std::move(name)), totals_(std::move(totals)), begin_(std::chrono::steady_clock::now()) {}
  ~TimedSpan() override {
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin_;
    totals_->Record(name_, spent.count());
  }
  void Annotate(const std::string& note) override { name_ += "/" + note; }

 private:
  std::string name_;
  std::shared_ptr<Totals> totals_;
  std::chrono::steady_clock::time_point begin_;
};

class Meter {
 public:
  std::unique_ptr<Span> StartSpan(const std::string& name) {
    return std::make_unique<TimedSpan>(name, totals_);
  }
  double Seconds(const std::string& name) { return totals_->Get(name); }

 private:
  std::shared_ptr<Totals> totals_ = std::make_shared<Totals>();
};

}  // namespace telemetry
