#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace minifs {

using InodeNumber = uint64_t;

// Key of a directory entry: the parent directory and the name in it.
struct DentryKey {
  InodeNumber parent = 0;
  std::string name;

  bool operator==(const DentryKey&) const = default;
};

struct DentryKeyHash {
  size_t operator()(const DentryKey& k) const noexcept {
    return std::hash<std::string>{}(k.name) * 31 + static_cast<size_t>(k.parent);
  }
};

// Bounded cache of name look-ups, least recently used first out.
class DentryCache {
 public:
  explicit DentryCache(size_t capacity) : capacity_(capacity) {}

  std::optional<InodeNumber> lookup(InodeNumber parent, std::string_view name);
  void insert(InodeNumber parent, std::string_view name, InodeNumber inode);
  void forget(InodeNumber parent, std::string_view name);
  size_t size() const { return index_.size(); }

 private:
  struct Node {
    DentryKey key;
    InodeNumber inode;
  };
  using Lru = std::list<Node>;

  size_t capacity_;
  Lru lru_;
  std::unordered_map<DentryKey, Lru::iterator, DentryKeyHash> index_;
};

}  // namespace minifs
