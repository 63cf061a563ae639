#include "lodestone/Table.h"

#include <cstdio>

using namespace lodestone;

int main() {
  int NumReads = 0;
  PageCacheOptions Options;
  Options.CapacityInPages = 2;
  Table T(
      [&NumReads](PageNo No) {
        ++NumReads;
        return PageBytes(16, static_cast<std::uint8_t>(No));
      },
      createPageCache(Options));

  T.page(1);
  T.page(2);
  T.page(1);
  T.page(3);
  T.page(1);
  if (NumReads != 3) {
    std::fprintf(stderr, "expected 3 reads, got %d\n", NumReads);
    return 1;
  }
  return 0;
}
