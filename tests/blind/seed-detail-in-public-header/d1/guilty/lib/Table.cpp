#include "lodestone/Table.h"

#include <utility>

using namespace lodestone;

Table::Table(PageReader TheReader, std::unique_ptr<PageCache> TheCache)
    : Reader(std::move(TheReader)), Cache(std::move(TheCache)) {
  if (!Cache)
    Cache = createPageCache(PageCacheOptions());
}

std::shared_ptr<const PageBytes> Table::page(PageNo No) {
  if (auto Cached = Cache->lookup(No))
    return Cached;
  auto Fresh = std::make_shared<const PageBytes>(Reader(No));
  Cache->insert(No, Fresh);
  return Fresh;
}
