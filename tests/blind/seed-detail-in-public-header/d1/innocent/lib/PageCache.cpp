#include "lodestone/PageCache.h"

#include <algorithm>
#include <list>
#include <unordered_map>
#include <utility>

using namespace lodestone;

namespace {

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

} // namespace

PageCache::~PageCache() = default;

LruPageCache::LruPageCache(std::size_t TheCapacity)
    : Capacity(std::max<std::size_t>(TheCapacity, 1)) {}

std::shared_ptr<const PageBytes> LruPageCache::lookup(PageNo No) {
  auto It = Index.find(No);
  if (It == Index.end())
    return nullptr;
  Recency.splice(Recency.begin(), Recency, It->second);
  return It->second->second;
}

void LruPageCache::insert(PageNo No, std::shared_ptr<const PageBytes> Bytes) {
  auto It = Index.find(No);
  if (It != Index.end()) {
    It->second->second = std::move(Bytes);
    Recency.splice(Recency.begin(), Recency, It->second);
    return;
  }
  if (Index.size() == Capacity) {
    Index.erase(Recency.back().first);
    Recency.pop_back();
  }
  Recency.emplace_front(No, std::move(Bytes));
  Index[No] = Recency.begin();
}

std::unique_ptr<PageCache>
lodestone::createPageCache(const PageCacheOptions &Options) {
  return std::make_unique<LruPageCache>(Options.CapacityInPages);
}
