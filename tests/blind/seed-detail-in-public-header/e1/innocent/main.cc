#include "glyph_painter.h"

#include <cstdio>

int main(int argc, char** argv) {
  text::GlyphPainter painter(argc > 1 ? argv[1] : "default.ttf");
  size_t bytes = 0;
  for (uint32_t cp = 'a'; cp <= 'z'; ++cp) {
    bytes += painter.Paint(cp, 24).alpha.size();
  }
  std::printf("%s: %zu bytes\n", painter.font_path().c_str(), bytes);
  return 0;
}
