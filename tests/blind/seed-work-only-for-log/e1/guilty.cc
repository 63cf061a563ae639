#include <array>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

namespace engine {

enum class LogLevel { kError, kInfo, kTrace };

class Log {
 public:
  static Log& Get() {
    static Log log;
    return log;
  }
  bool Enabled(LogLevel level) const { return level <= level_; }
  void SetLevel(LogLevel level) { level_ = level; }
  template <typename... Args>
  void Trace(const char* fmt, Args... args) const {
    if (Enabled(LogLevel::kTrace)) std::fprintf(stderr, fmt, args...);
  }

 private:
  LogLevel level_ = LogLevel::kInfo;
};

enum class Pass : uint8_t { kOpaque, kBlend, kShadow };

struct Drawable {
  Pass pass = Pass::kOpaque;
  uint32_t material = 0;
  uint32_t vertex_count = 0;
  bool visible = true;
};

class CommandList {
 public:
  void Draw(uint32_t material, uint32_t vertices) { cmds_.push_back({material, vertices}); }
  void Clear() { cmds_.clear(); }
  size_t size() const { return cmds_.size(); }

 private:
  struct Cmd {
    uint32_t material;
    uint32_t vertices;
  };
  std::vector<Cmd> cmds_;
};

class Scene {
 public:
  void Add(const Drawable& d) { drawables_.push_back(d); }
  const std::vector<Drawable>& drawables() const { return drawables_; }

 private:
  std::vector<Drawable> drawables_;
};

class FrameRecorder {
 public:
  explicit FrameRecorder(const Scene& scene) : scene_(scene) {}

  void Record(CommandList& out) {
    out.Clear();
    uint32_t n_opaque = 0;
    uint32_t n_blend = 0;
    uint32_t n_shadow = 0;
    for (const Drawable& d : scene_.drawables()) {
      if (!d.visible) continue;
      switch (d.pass) {
        case Pass::kOpaque: ++n_opaque; break;
        case Pass::kBlend: ++n_blend; break;
        case Pass::kShadow: ++n_shadow; break;
      }
      out.Draw(d.material, d.vertex_count);
    }
    ++frame_;
    if (Log::Get().Enabled(LogLevel::kTrace)) {
      Log::Get().Trace("frame %u: opaque=%u blend=%u shadow=%u\n", frame_, n_opaque, n_blend,
                       n_shadow);
    }
  }

  uint32_t frame() const { return frame_; }

 private:
  const Scene& scene_;
  uint32_t frame_ = 0;
};

}  // namespace engine
