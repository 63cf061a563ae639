// Dictionary decoding for the column scan operator.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <new>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace colstore {

struct PageId {
  uint32_t segment;
  uint32_t page;
  friend bool operator==(const PageId&, const PageId&) = default;
};

struct PageIdHash {
  size_t operator()(const PageId& id) const {
    return std::hash<uint64_t>()(uint64_t{id.segment} << 32 | id.page);
  }
};

struct EncodedPage {
  PageId id;
  std::vector<uint16_t> codes;
};

struct DecodedPage {
  std::string_view* values;
  size_t count;
};

// State shared by all scans of one query.
struct ScanContext {
  std::pmr::memory_resource* memory = std::pmr::new_delete_resource();
  std::unordered_map<PageId, DecodedPage, PageIdHash> decoded;
  size_t bytes_decoded = 0;
};

class ColumnScan {
 public:
  ColumnScan(std::shared_ptr<ScanContext> ctx,
             const std::vector<std::string>* dictionary)
      : ctx_(std::move(ctx)), dictionary_(dictionary) {}

  size_t CountEqual(const EncodedPage& page, std::string_view needle) {
    const DecodedPage& decoded = Decode(page);
    size_t matches = 0;
    for (size_t i = 0; i < decoded.count; ++i) {
      if (decoded.values[i] == needle) ++matches;
    }
    return matches;
  }

 private:
  std::string_view* Allocate(size_t count) {
    const size_t bytes = count * sizeof(std::string_view);
    ctx_->bytes_decoded += bytes;
    return static_cast<std::string_view*>(
        ctx_->memory->allocate(bytes, alignof(std::string_view)));
  }

  const DecodedPage& Decode(const EncodedPage& page) {
    auto it = ctx_->decoded.find(page.id);
    if (it != ctx_->decoded.end()) return it->second;

    std::string_view* values = Allocate(page.codes.size());
    for (size_t i = 0; i < page.codes.size(); ++i) {
      new (&values[i]) std::string_view(dictionary_->at(page.codes[i]));
    }
    return ctx_->decoded
        .emplace(page.id, DecodedPage{values, page.codes.size()})
        .first->second;
  }

  std::shared_ptr<ScanContext> ctx_;
  const std::vector<std::string>* dictionary_;
};

size_t CountMatches(const std::vector<EncodedPage>& pages,
                    const std::vector<std::string>& dictionary,
                    const std::vector<std::string>& needles) {
  auto ctx = std::make_shared<ScanContext>();
  ColumnScan scan(ctx, &dictionary);
  size_t total = 0;
  for (const std::string& needle : needles) {
    for (const EncodedPage& page : pages) total += scan.CountEqual(page, needle);
  }
  return total;
}

}  // namespace colstore
