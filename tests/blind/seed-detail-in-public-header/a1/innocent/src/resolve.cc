// Path resolution on top of the entry cache.
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>

#include "minifs/dentry_cache.h"

namespace minifs {

constexpr InodeNumber kRoot = 1;

using ReadEntry = std::function<std::optional<InodeNumber>(InodeNumber dir, std::string_view name)>;

std::optional<InodeNumber> resolve(DentryCache& cache, const ReadEntry& read,
                                   std::string_view path,
                                   const std::unordered_set<DentryKey, DentryKeyHash>& hidden) {
  InodeNumber at = kRoot;
  while (!path.empty()) {
    const size_t slash = path.find('/');
    const std::string_view name = path.substr(0, slash);
    path.remove_prefix(slash == std::string_view::npos ? path.size() : slash + 1);
    if (name.empty()) continue;
    if (hidden.contains(DentryKey{at, std::string(name)})) return std::nullopt;

    std::optional<InodeNumber> next = cache.lookup(at, name);
    if (!next) {
      next = read(at, name);
      if (!next) return std::nullopt;
      cache.insert(at, name, *next);
    }
    at = *next;
  }
  return at;
}

}  // namespace minifs
