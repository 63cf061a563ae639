#include "minifs/dentry_cache.h"

#include <utility>

namespace minifs {

std::optional<InodeNumber> DentryCache::lookup(InodeNumber parent, std::string_view name) {
  const auto it = index_.find(DentryKey{parent, std::string(name)});
  if (it == index_.end()) return std::nullopt;
  lru_.splice(lru_.begin(), lru_, it->second);
  return it->second->inode;
}

void DentryCache::insert(InodeNumber parent, std::string_view name, InodeNumber inode) {
  DentryKey key{parent, std::string(name)};
  if (const auto it = index_.find(key); it != index_.end()) {
    it->second->inode = inode;
    lru_.splice(lru_.begin(), lru_, it->second);
    return;
  }
  lru_.push_front(Node{key, inode});
  index_.emplace(std::move(key), lru_.begin());
  while (index_.size() > capacity_) {
    index_.erase(lru_.back().key);
    lru_.pop_back();
  }
}

void DentryCache::forget(InodeNumber parent, std::string_view name) {
  const auto it = index_.find(DentryKey{parent, std::string(name)});
  if (it == index_.end()) return;
  lru_.erase(it->second);
  index_.erase(it);
}

}  // namespace minifs
