// Scene renderer: sorts and submits the draw list of a frame.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace engine {

enum LogLevel { kLogError, kLogInfo, kLogTrace };
inline LogLevel g_log_level = kLogInfo;

#define ENGINE_TRACE(...)                                  \
  do {                                                     \
    if (::engine::g_log_level >= ::engine::kLogTrace)      \
      std::fprintf(stderr, __VA_ARGS__);                   \
  } while (false)

struct Draw {
  uint32_t material = 0;
  uint32_t mesh = 0;
  uint32_t triangles = 0;
  float depth = 0;
};

class Device {
 public:
  virtual ~Device() = default;
  virtual void bindMaterial(uint32_t material) = 0;
  virtual void draw(uint32_t mesh) = 0;
};

class SceneRenderer {
 public:
  explicit SceneRenderer(Device& device) : device_(device) {}

  void submit(const Draw& d) { draws_.push_back(d); }
  void flush();

 private:
  std::string summarize() const;

  Device& device_;
  std::vector<Draw> draws_;
  uint64_t frame_ = 0;
};

// "material:triangles" of the costliest materials, costliest first.
std::string SceneRenderer::summarize() const {
  std::map<uint32_t, uint64_t> cost;
  for (const Draw& d : draws_) cost[d.material] += d.triangles;

  std::vector<std::pair<uint32_t, uint64_t>> ranked(cost.begin(), cost.end());
  std::sort(ranked.begin(), ranked.end(),
            [](const auto& a, const auto& b) { return a.second > b.second; });
  if (ranked.size() > 8) ranked.resize(8);

  std::string text;
  for (const auto& [material, triangles] : ranked) {
    text += std::to_string(material) + ":" + std::to_string(triangles) + " ";
  }
  return text;
}

void SceneRenderer::flush() {
  std::stable_sort(draws_.begin(), draws_.end(), [](const Draw& a, const Draw& b) {
    return a.material != b.material ? a.material < b.material : a.depth < b.depth;
  });

  const std::string summary = summarize();
  uint32_t bound = ~0u;
  for (const Draw& d : draws_) {
    if (d.material != bound) {
      device_.bindMaterial(d.material);
      bound = d.material;
    }
    device_.draw(d.mesh);
  }

  ENGINE_TRACE("frame %llu: %zu draws, top %s\n", static_cast<unsigned long long>(frame_),
               draws_.size(), summary.c_str());
  draws_.clear();
  ++frame_;
}

}  // namespace engine
