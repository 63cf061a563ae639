#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

class Driver {
 public:
  Driver(std::string name, std::vector<int> rates)
      : name_(std::move(name)), rates_(std::move(rates)) {}

  bool Start(int rate) {
    for (int known : rates_) {
      if (known == rate) {
        rate_ = rate;
        return true;
      }
    }
    return false;
  }

  double Seconds(std::size_t frames) const { return rate_ == 0 ? 0.0 : static_cast<double>(frames) / rate_; }
  const std::string& name() const { return name_; }

 private:
  std::string name_;
  std::vector<int> rates_;
  int rate_ = 0;
};

class DriverTable {
 public:
  explicit DriverTable(int rate) : rate_(rate) {}

  std::shared_ptr<Driver> Open(const std::string& name) {
    auto found = drivers_.find(name);
    if (found != drivers_.end()) return found->second;

    auto driver = std::make_shared<Driver>(name, RatesOf(name));
    if (!driver->Start(rate_)) return nullptr;
    drivers_[name] = driver;
    return driver;
  }

  std::size_t size() const { return drivers_.size(); }

 private:
  static std::vector<int> RatesOf(const std::string& name) {
    if (name == "usb") return {44100, 48000, 96000};
    if (name == "hdmi") return {48000};
    return {44100};
  }

  const int rate_;
  std::map<std::string, std::shared_ptr<Driver>> drivers_;
};
