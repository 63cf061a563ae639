// Archives a take when the operator presses "stop".

#include <cstdio>

#include "encoder.h"

namespace tapedeck {

struct ArchiveSettings {
  bool compact = true;
};

bool ArchiveTake(const Take& take, const ArchiveSettings& settings,
                 std::vector<uint8_t>* out) {
  std::unique_ptr<Encoder> encoder =
      settings.compact ? MakeDeltaEncoder() : MakePcmEncoder();
  out->clear();
  if (Result result = encoder->Encode(take, out); !result) {
    std::fprintf(stderr, "archive: %s\n", result.why().c_str());
    return false;
  }
  return true;
}

}  // namespace tapedeck
