#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

class OutputDevice {
 public:
  explicit OutputDevice(std::vector<int> supported) : supported_(std::move(supported)) {}

  bool Reopen(int rate) {
    if (busy_) return false;
    if (std::find(supported_.begin(), supported_.end(), rate) == supported_.end()) return false;
    active_rate_ = rate;
    return true;
  }

  void SetBusy(bool busy) { busy_ = busy; }
  int active_rate() const { return active_rate_; }

 private:
  std::vector<int> supported_;
  int active_rate_ = 0;
  bool busy_ = false;
};

class Mixer {
 public:
  explicit Mixer(OutputDevice* device) : device_(device) {}

  bool SetSampleRate(int rate) {
    if (rate == rate_) return true;
    rate_ = rate;
    if (!device_->Reopen(rate)) return false;
    phase_ = 0.0;
    return true;
  }

  void Mix(const std::vector<float>& in, std::vector<float>& out) {
    const double step = 1.0 / 64.0;
    for (std::size_t i = 0; i < std::min(in.size(), out.size()); ++i) {
      phase_ = std::min(1.0, phase_ + step);
      out[i] += static_cast<float>(in[i] * phase_);
    }
  }

 private:
  OutputDevice* device_;
  int rate_ = 0;
  double phase_ = 0.0;
};
