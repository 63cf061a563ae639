#include <memory>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ui {

class Widget {
 public:
  Widget(Widget* parent, std::string id) : parent_(parent), id_(std::move(id)) {}
  const std::string& id() const { return id_; }
  Widget* parent() const { return parent_; }
  const std::string& text() const { return text_; }
  void setText(std::string t) { text_ = std::move(t); }
  const std::vector<std::unique_ptr<Widget>>& children() const { return children_; }

  Widget* append(std::string id) {
    children_.push_back(std::make_unique<Widget>(this, std::move(id)));
    return children_.back().get();
  }

  void removeChild(Widget* child) {
    for (auto it = children_.begin(); it != children_.end(); ++it) {
      if (it->get() == child) {
        children_.erase(it);
        return;
      }
    }
  }

 private:
  Widget* parent_;
  std::string id_;
  std::string text_;
  std::vector<std::unique_ptr<Widget>> children_;
};

class ScriptWindow;

// Script value for one widget.
class WidgetProxy {
 public:
  WidgetProxy(ScriptWindow* window, Widget* widget) : window_(window), widget_(widget) {}

  std::string text() const { return get()->text(); }
  void setText(std::string t) { get()->setText(std::move(t)); }
  std::string id() const { return get()->id(); }
  std::shared_ptr<WidgetProxy> append(std::string id);
  void destroy();

 private:
  friend class ScriptWindow;
  Widget* get() const {
    if (!valid_) throw std::runtime_error("widget was destroyed");
    return widget_;
  }

  ScriptWindow* window_;
  Widget* widget_;
  bool valid_ = true;
};

class ScriptWindow {
 public:
  ScriptWindow() : root_(nullptr, "root") {}
  ScriptWindow(const ScriptWindow&) = delete;
  ScriptWindow& operator=(const ScriptWindow&) = delete;
  ~ScriptWindow() {
    for (auto& entry : proxies_) entry.second->valid_ = false;
  }

  std::shared_ptr<WidgetProxy> root() { return proxyFor(&root_); }

  std::shared_ptr<WidgetProxy> proxyFor(Widget* w) {
    auto& slot = proxies_[w];
    if (!slot) slot = std::make_shared<WidgetProxy>(this, w);
    return slot;
  }

  void destroy(Widget* w) {
    if (w == &root_) throw std::runtime_error("cannot destroy the root");
    release(w);
    w->parent()->removeChild(w);
  }

 private:
  void release(Widget* w) {
    auto it = proxies_.find(w);
    if (it == proxies_.end()) return;
    it->second->valid_ = false;
    proxies_.erase(it);
  }

  Widget root_;
  std::unordered_map<Widget*, std::shared_ptr<WidgetProxy>> proxies_;
};

std::shared_ptr<WidgetProxy> WidgetProxy::append(std::string id) {
  Widget* child = get()->append(std::move(id));
  return window_->proxyFor(child);
}

void WidgetProxy::destroy() {
  Widget* w = get();
  window_->destroy(w);
}

}  // namespace ui
