#include <memory>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>

struct Plugin {
  std::string name;
  int latency = 0;
};

class Rack {
 public:
  Plugin* Insert(const std::string& name) {
    auto plugin = std::make_unique<Plugin>();
    plugin->name = name;
    Plugin* raw = plugin.get();
    plugins_.emplace(raw, std::move(plugin));
    return raw;
  }
  void Remove(Plugin* plugin) { plugins_.erase(plugin); }

 private:
  std::unordered_map<Plugin*, std::unique_ptr<Plugin>> plugins_;
};

class PluginHandle {
 public:
  using Table = std::unordered_map<Plugin*, PluginHandle*>;

  static std::shared_ptr<PluginHandle> Open(Rack* rack, Plugin* plugin) {
    auto found = table().find(plugin);
    if (found != table().end()) return found->second->self_.lock();
    auto handle = std::make_shared<PluginHandle>(rack, plugin);
    handle->self_ = handle;
    table()[plugin] = handle.get();
    return handle;
  }

  PluginHandle(Rack* rack, Plugin* plugin) : rack_(rack), plugin_(plugin) {}
  PluginHandle(const PluginHandle&) = delete;
  PluginHandle& operator=(const PluginHandle&) = delete;
  ~PluginHandle() {
    if (alive_) table().erase(plugin_);
  }

  int Latency() const {
    if (!alive_) throw std::runtime_error("plugin was removed");
    return plugin_->latency;
  }

  void Deactivate() {
    if (!alive_) return;
    table().erase(plugin_);
    rack_->Remove(plugin_);
    alive_ = false;
  }

 private:
  static Table& table() {
    static Table handles;
    return handles;
  }

  Rack* rack_;
  Plugin* plugin_;
  bool alive_ = true;
  std::weak_ptr<PluginHandle> self_;
};
