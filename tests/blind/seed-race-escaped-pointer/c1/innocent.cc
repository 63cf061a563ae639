// Page frames of the encrypted row store: a pool and the handles that pin pages.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace rowstore {

using PageId = uint64_t;
constexpr size_t kPageSize = 8192;

struct Frame {
  PageId page = 0;
  std::unique_ptr<uint8_t[]> bytes;
};

using ResidentMap = std::unordered_map<PageId, std::shared_ptr<Frame>>;

class PageFile {
 public:
  virtual ~PageFile() = default;
  virtual bool ReadAndDecrypt(PageId page, uint8_t* out) = 0;
};

// Decides what happens to a frame that a query has finished with: a resident
// frame stays in the pool, the clear text of a private one is wiped.
class FrameReturner {
 public:
  FrameReturner(std::mutex* mu, const ResidentMap* resident)
      : mu_(mu), resident_(resident) {}

  void Return(const std::shared_ptr<Frame>& frame) const {
    if (!IsResident(frame)) Wipe(frame->bytes.get());
  }

 private:
  bool IsResident(const std::shared_ptr<Frame>& frame) const {
    std::lock_guard<std::mutex> lock(*mu_);
    auto it = resident_->find(frame->page);
    return it != resident_->end() && it->second == frame;
  }

  static void Wipe(volatile uint8_t* bytes) {
    for (size_t i = 0; i < kPageSize; ++i) bytes[i] = 0;
  }

  std::mutex* const mu_;
  const ResidentMap* const resident_;
};

class PageHandle {
 public:
  PageHandle() = default;
  PageHandle(std::shared_ptr<Frame> frame, const FrameReturner* returner)
      : frame_(std::move(frame)), returner_(returner) {}
  PageHandle(PageHandle&&) = default;
  PageHandle& operator=(PageHandle&&) = delete;
  ~PageHandle() { Release(); }

  explicit operator bool() const { return frame_ != nullptr; }
  const uint8_t* data() const { return frame_->bytes.get(); }

  void Release() {
    if (!frame_) return;
    std::shared_ptr<Frame> frame = std::move(frame_);
    returner_->Return(frame);
  }

 private:
  std::shared_ptr<Frame> frame_;
  const FrameReturner* returner_ = nullptr;
};

// Shared by all query threads. Must outlive the handles.
class BufferPool {
 public:
  BufferPool(PageFile* file, size_t capacity)
      : file_(file), capacity_(capacity), returner_(&mu_, &resident_) {}

  BufferPool(const BufferPool&) = delete;
  BufferPool& operator=(const BufferPool&) = delete;

  PageHandle Fetch(PageId page) {
    std::lock_guard<std::mutex> lock(mu_);
    auto it = resident_.find(page);
    if (it != resident_.end()) return PageHandle(it->second, &returner_);

    auto frame = std::make_shared<Frame>();
    frame->page = page;
    frame->bytes = std::make_unique<uint8_t[]>(kPageSize);
    if (!file_->ReadAndDecrypt(page, frame->bytes.get())) return PageHandle();
    if (resident_.size() < capacity_) resident_.emplace(page, frame);
    return PageHandle(std::move(frame), &returner_);
  }

  size_t resident_pages() const {
    std::lock_guard<std::mutex> lock(mu_);
    return resident_.size();
  }

 private:
  PageFile* const file_;
  const size_t capacity_;
  mutable std::mutex mu_;
  ResidentMap resident_;  // Guarded by mu_.
  const FrameReturner returner_;
};

}  // namespace rowstore
