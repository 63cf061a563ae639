// Handles of the canvas items for the plug-in API.
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/optional.h"

struct Item {
  std::uint64_t serial;  // counts up over the life of the process
  std::string name;
  bool visible = true;
  double opacity = 1.0;
};

inline std::uint64_t nextSerial() {
  static std::uint64_t last = 0;
  return ++last;
}

// What a plug-in holds. Shared: one item has one handle, however often it is asked for.
class ItemHandle {
public:
  explicit ItemHandle(Item *item) : item_(item), serial_(item->serial) {}

  bool alive() const { return item_ != nullptr; }
  std::uint64_t serial() const { return serial_; }
  void invalidate() { item_ = nullptr; }

  absl::optional<std::string> name() const {
    return alive() ? absl::optional<std::string>(item_->name) : absl::nullopt;
  }
  bool setOpacity(double opacity) {
    if (!alive())
      return false;
    item_->opacity = opacity;
    return true;
  }

private:
  Item *item_;
  std::uint64_t serial_;
};

using HandlePtr = std::shared_ptr<ItemHandle>;

class HandleCache {
public:
  HandlePtr handleOf(Item *item) {
    HandlePtr &slot = handles_[item];
    if (!slot || slot->serial() != item->serial)
      slot = std::make_shared<ItemHandle>(item);
    return slot;
  }
  void invalidate(const Item *item) {
    auto it = handles_.find(item);
    if (it != handles_.end())
      it->second->invalidate();
  }

private:
  absl::flat_hash_map<const Item *, HandlePtr> handles_;
};

class Canvas {
public:
  HandlePtr add(std::string name) {
    items_.push_back(std::make_unique<Item>(Item{nextSerial(), std::move(name)}));
    return handles_.handleOf(items_.back().get());
  }

  HandlePtr find(const std::string &name) {
    for (const auto &item : items_) {
      if (item->name == name)
        return handles_.handleOf(item.get());
    }
    return nullptr;
  }

  std::size_t prune(const std::function<bool(const Item &)> &keep) {
    return std::erase_if(items_, [&](const std::unique_ptr<Item> &item) {
      if (keep(*item))
        return false;
      handles_.invalidate(item.get());
      return true;
    });
  }

  std::size_t pruneHidden() {
    return prune([](const Item &item) { return item.visible && item.opacity > 0.0; });
  }

private:
  std::vector<std::unique_ptr<Item>> items_;
  HandleCache handles_;
};
