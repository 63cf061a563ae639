// GPU side of the CT/MR slice viewer: uploads slices and window/level tables.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace viewer {

// A span of device memory. Plain value; whoever allocated it calls Free.
struct DeviceSpan {
  uint64_t address = 0;
  size_t bytes = 0;

  bool is_null() const { return address == 0; }
};

class Device {
 public:
  virtual ~Device() = default;
  virtual DeviceSpan Allocate(size_t bytes) = 0;  // Null span when out of memory.
  virtual void Free(DeviceSpan span) = 0;
  virtual bool Upload(DeviceSpan dst, const void* src, size_t bytes) = 0;
  virtual void Draw(DeviceSpan slice, DeviceSpan table, int width, int height) = 0;
};

struct Slice {
  int64_t id = 0;
  int width = 0;
  int height = 0;
  std::vector<uint16_t> pixels;
};

struct Window {
  int center = 40;
  int width = 400;

  bool operator<(const Window& other) const {
    return std::tie(center, width) < std::tie(other.center, other.width);
  }
};

// One viewer pane owns one SliceRenderer; it is destroyed with the pane, while
// the device lives as long as the workstation process. UI thread only.
class SliceRenderer {
 public:
  explicit SliceRenderer(Device* device) : device_(device) {}
  ~SliceRenderer();

  SliceRenderer(const SliceRenderer&) = delete;
  SliceRenderer& operator=(const SliceRenderer&) = delete;

  bool Render(const Slice& slice, const Window& window);

 private:
  std::optional<DeviceSpan> SliceTexture(const Slice& slice);
  std::optional<DeviceSpan> WindowTable(const Window& window);
  std::optional<DeviceSpan> Store(const void* data, size_t bytes);

  Device* const device_;
  std::unordered_map<int64_t, DeviceSpan> textures_;
  std::map<Window, DeviceSpan> tables_;
};

SliceRenderer::~SliceRenderer() {
  for (const auto& [id, span] : textures_) {
    device_->Free(span);
  }
}

std::optional<DeviceSpan> SliceRenderer::Store(const void* data, size_t bytes) {
  DeviceSpan span = device_->Allocate(bytes);
  if (span.is_null()) return std::nullopt;
  if (!device_->Upload(span, data, bytes)) {
    device_->Free(span);
    return std::nullopt;
  }
  return span;
}

std::optional<DeviceSpan> SliceRenderer::SliceTexture(const Slice& slice) {
  auto it = textures_.find(slice.id);
  if (it != textures_.end()) return it->second;

  std::optional<DeviceSpan> span =
      Store(slice.pixels.data(), slice.pixels.size() * sizeof(uint16_t));
  if (span) textures_.emplace(slice.id, *span);
  return span;
}

std::optional<DeviceSpan> SliceRenderer::WindowTable(const Window& window) {
  auto it = tables_.find(window);
  if (it != tables_.end()) return it->second;

  std::vector<uint8_t> grey(1 << 16);
  const double low = window.center - window.width / 2.0;
  const double span_hu = std::max(window.width, 1);
  for (size_t i = 0; i < grey.size(); ++i) {
    const double t = (static_cast<double>(i) - 1024.0 - low) / span_hu;
    grey[i] = static_cast<uint8_t>(std::lround(std::clamp(t, 0.0, 1.0) * 255));
  }

  std::optional<DeviceSpan> table = Store(grey.data(), grey.size());
  if (table) tables_.emplace(window, *table);
  return table;
}

bool SliceRenderer::Render(const Slice& slice, const Window& window) {
  const size_t expected = static_cast<size_t>(slice.width) * slice.height;
  if (expected == 0 || slice.pixels.size() != expected) return false;

  const std::optional<DeviceSpan> texture = SliceTexture(slice);
  const std::optional<DeviceSpan> table = WindowTable(window);
  if (!texture || !table) return false;
  device_->Draw(*texture, *table, slice.width, slice.height);
  return true;
}

}  // namespace viewer
