#include "lodestone/PageCache.h"

#include <algorithm>

using namespace lodestone;

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
