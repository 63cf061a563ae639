#include <cstdint>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

struct Font {
  std::vector<char> bytes;
  float size = 0;
};

namespace {

using FontKey = std::pair<std::string, int>;

struct FontEntry {
  std::unique_ptr<Font> font;
  int users = 0;
};

std::map<FontKey, FontEntry>& Fonts() {
  static std::map<FontKey, FontEntry> fonts;
  return fonts;
}

std::unique_ptr<Font> LoadFont(const std::string& path, int size) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("cannot open font " + path);
  auto font = std::make_unique<Font>();
  font->bytes.assign(std::istreambuf_iterator<char>(in), {});
  font->size = static_cast<float>(size);
  return font;
}

}  // namespace

const Font* AcquireFont(const std::string& path, int size) {
  static std::mutex mutex;
  std::lock_guard<std::mutex> lock(mutex);
  const FontKey key(path, size);
  auto found = Fonts().find(key);
  if (found == Fonts().end()) {
    found = Fonts().emplace(key, FontEntry{LoadFont(path, size), 0}).first;
  }
  ++found->second.users;
  return found->second.font.get();
}

void ReleaseFont(const std::string& path, int size) {
  static std::mutex mutex;
  std::lock_guard<std::mutex> lock(mutex);
  const FontKey key(path, size);
  auto it = Fonts().find(key);
  if (it == Fonts().end()) return;
  if (--it->second.users == 0) Fonts().erase(it);
}
