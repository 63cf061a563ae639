//===- PageCache.h - In-memory pages of a table -----------------*- C++ -*-===//

#ifndef LODESTONE_PAGECACHE_H
#define LODESTONE_PAGECACHE_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace lodestone {

using PageNo = std::uint64_t;
using PageBytes = std::vector<std::uint8_t>;

struct PageCacheOptions {
  std::size_t CapacityInPages = 1024;
};

/// Keeps copies of pages. Users may bring their own implementation.
class PageCache {
public:
  virtual ~PageCache();

  /// \returns the page, or null if it is not cached.
  virtual std::shared_ptr<const PageBytes> lookup(PageNo No) = 0;
  virtual void insert(PageNo No, std::shared_ptr<const PageBytes> Bytes) = 0;
};

/// Creates the cache that is used when the user brings none.
std::unique_ptr<PageCache> createPageCache(const PageCacheOptions &Options);

} // namespace lodestone

#endif // LODESTONE_PAGECACHE_H
