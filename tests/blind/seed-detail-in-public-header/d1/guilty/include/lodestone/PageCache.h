//===- PageCache.h - In-memory pages of a table -----------------*- C++ -*-===//

#ifndef LODESTONE_PAGECACHE_H
#define LODESTONE_PAGECACHE_H

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <unordered_map>
#include <utility>
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

/// Evicts the page that has not been looked up for the longest time.
class LruPageCache final : public PageCache {
  using Entry = std::pair<PageNo, std::shared_ptr<const PageBytes>>;

  const std::size_t Capacity;
  std::list<Entry> Recency;
  std::unordered_map<PageNo, std::list<Entry>::iterator> Index;

public:
  explicit LruPageCache(std::size_t TheCapacity);

  std::shared_ptr<const PageBytes> lookup(PageNo No) override;
  void insert(PageNo No, std::shared_ptr<const PageBytes> Bytes) override;
};

/// Creates the cache that is used when the user brings none.
std::unique_ptr<PageCache> createPageCache(const PageCacheOptions &Options);

} // namespace lodestone

#endif // LODESTONE_PAGECACHE_H
