#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

enum class IoResult { kOk, kOutOfRange, kClosed };

class Backend {
 public:
  virtual ~Backend() = default;
  virtual IoResult ReadAt(uint64_t offset, void* out, std::size_t count) = 0;
  virtual void Close() = 0;
};

class MemoryBackend : public Backend {
 public:
  explicit MemoryBackend(std::string bytes) : bytes_(std::move(bytes)) {}

  IoResult ReadAt(uint64_t offset, void* out, std::size_t count) override {
    if (closed_) return IoResult::kClosed;
    if (offset > bytes_.size() || count > bytes_.size() - offset) return IoResult::kOutOfRange;
    std::memcpy(out, bytes_.data() + offset, count);
    return IoResult::kOk;
  }

  void Close() override {
    closed_ = true;
    bytes_.clear();
  }

 private:
  std::string bytes_;
  bool closed_ = false;
};

class MappedBackend : public Backend {
 public:
  explicit MappedBackend(std::vector<uint8_t> snapshot) : mapped_(std::move(snapshot)) {}

  IoResult ReadAt(uint64_t offset, void* out, std::size_t count) override {
    if (closed_) return IoResult::kClosed;
    std::memcpy(out, mapped_.data() + offset, count);
    return IoResult::kOk;
  }

  void Close() override {
    closed_ = true;
    mapped_.clear();
  }

 private:
  std::vector<uint8_t> mapped_;
  bool closed_ = false;
};

IoResult ReadU32(Backend& backend, uint64_t offset, uint32_t* value) {
  uint8_t raw[4];
  const IoResult result = backend.ReadAt(offset, raw, sizeof raw);
  if (result != IoResult::kOk) return result;
  *value = uint32_t(raw[0]) | uint32_t(raw[1]) << 8 | uint32_t(raw[2]) << 16 | uint32_t(raw[3]) << 24;
  return IoResult::kOk;
}
