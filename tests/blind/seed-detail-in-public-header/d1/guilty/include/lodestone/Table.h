//===- Table.h - Paged access to a table ------------------------*- C++ -*-===//

#ifndef LODESTONE_TABLE_H
#define LODESTONE_TABLE_H

#include "lodestone/PageCache.h"

#include <functional>

namespace lodestone {

class Table {
public:
  using PageReader = std::function<PageBytes(PageNo)>;

  Table(PageReader TheReader, std::unique_ptr<PageCache> TheCache);

  /// Reads a page, from the cache if possible.
  std::shared_ptr<const PageBytes> page(PageNo No);

private:
  PageReader Reader;
  std::unique_ptr<PageCache> Cache;
};

} // namespace lodestone

#endif // LODESTONE_TABLE_H
