// Insert effects of a mixer strip.
#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace strip {

class Node {
 public:
  virtual ~Node() = default;
  virtual void Render(float* samples, int count) = 0;
  virtual int latency() const { return 0; }
};

class Plugin : public Node {
 public:
  Plugin(std::string vendor, int parameters)
      : vendor_(std::move(vendor)), values_(parameters, 0.0f) {}

  void Render(float* samples, int count) override {
    for (int i = 0; i < count; ++i) samples[i] *= 1.0f + Parameter(0);
  }

  float Parameter(size_t index) const {
    return index < values_.size() ? values_[index] : 0.0f;
  }

  void SetParameter(size_t index, float value) {
    if (index < values_.size()) values_[index] = std::clamp(value, 0.0f, 1.0f);
  }

  const std::string& vendor() const { return vendor_; }

 private:
  std::string vendor_;
  std::vector<float> values_;
};

class PluginHost {
 public:
  bool Load(const std::string& slot, const std::string& vendor, int parameters) {
    return plugins_.emplace(slot, std::make_unique<Plugin>(vendor, parameters))
        .second;
  }

  void Automate(const std::string& slot, size_t parameter, float value) {
    if (Plugin* plugin = FindPlugin(slot)) plugin->SetParameter(parameter, value);
  }

  std::string VendorOf(const std::string& slot) {
    const Plugin* plugin = FindPlugin(slot);
    return plugin == nullptr ? std::string() : plugin->vendor();
  }

  void Process(float* samples, int count) {
    for (auto& [slot, node] : plugins_) node->Render(samples, count);
  }

  int TotalLatency() const {
    int total = 0;
    for (const auto& [slot, node] : plugins_) total += node->latency();
    return total;
  }

 private:
  Plugin* FindPlugin(const std::string& slot) {
    auto it = plugins_.find(slot);
    if (it == plugins_.end()) return nullptr;
    return static_cast<Plugin*>(it->second.get());
  }

  std::map<std::string, std::unique_ptr<Node>> plugins_;
};

}  // namespace strip
