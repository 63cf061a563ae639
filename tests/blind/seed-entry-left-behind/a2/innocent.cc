// nanobind module of the effects rack.
#include <array>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>

#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

namespace nb = nanobind;

namespace fx {

class Plugin {
public:
  virtual ~Plugin() = default;
  virtual float process(float sample) = 0;
  virtual std::string label() const = 0;
};

std::unique_ptr<Plugin> load(const std::string &uri);  // null: no such plug-in

}  // namespace fx

class Rack;

class PluginRef {
public:
  PluginRef(std::shared_ptr<Rack> rack, fx::Plugin *plugin)
      : rack_(std::move(rack)), plugin_(plugin) {}
  ~PluginRef();

  float process(float sample) { return checked().process(sample); }
  std::string label() const { return checked().label(); }
  void markDead() { plugin_ = nullptr; }

private:
  fx::Plugin &checked() const {
    if (!plugin_)
      throw nb::value_error("plug-in is not in the rack any more");
    return *plugin_;
  }

  std::shared_ptr<Rack> rack_;
  fx::Plugin *plugin_;
};

class Rack : public std::enable_shared_from_this<Rack> {
public:
  std::shared_ptr<PluginRef> at(size_t i) {
    fx::Plugin *plugin = slots_.at(i).get();
    return plugin ? wrap(plugin) : nullptr;
  }

  std::shared_ptr<PluginRef> load(size_t i, const std::string &uri) {
    auto fresh = fx::load(uri);
    if (!fresh)
      throw nb::key_error(uri.c_str());
    slots_.at(i).swap(fresh);
    if (fresh)
      retire(fresh.get());
    return at(i);
  }

  void unload(size_t i) {
    auto plugin = std::exchange(slots_.at(i), nullptr);
    if (plugin)
      retire(plugin.get());
  }

  void forget(fx::Plugin *plugin) { wrappers_.erase(plugin); }

private:
  std::shared_ptr<PluginRef> find(fx::Plugin *plugin) const {
    auto it = wrappers_.find(plugin);
    return it == wrappers_.end() ? nullptr : it->second.lock();
  }

  void retire(fx::Plugin *plugin) {
    if (auto ref = find(plugin))
      ref->markDead();
    forget(plugin);
  }

  std::shared_ptr<PluginRef> wrap(fx::Plugin *plugin) {
    if (auto known = find(plugin))
      return known;
    auto ref = std::make_shared<PluginRef>(shared_from_this(), plugin);
    wrappers_[plugin] = ref;
    return ref;
  }

  std::array<std::unique_ptr<fx::Plugin>, 8> slots_;
  std::unordered_map<fx::Plugin *, std::weak_ptr<PluginRef>> wrappers_;
};

PluginRef::~PluginRef() {
  if (plugin_)
    rack_->forget(plugin_);
}

NB_MODULE(_rack, m) {
  nb::class_<PluginRef>(m, "Plugin")
      .def("process", &PluginRef::process)
      .def_prop_ro("label", &PluginRef::label);
  nb::class_<Rack>(m, "Rack")
      .def(nb::new_([] { return std::make_shared<Rack>(); }))
      .def("__getitem__", &Rack::at)
      .def("load", &Rack::load)
      .def("unload", &Rack::unload);
}
