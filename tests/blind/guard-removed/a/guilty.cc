#include <algorithm>
#include <string>
#include <utility>
#include <vector>

struct Rect {
  float left = 0, top = 0, right = 0, bottom = 0;
  float width() const { return right - left; }
  float height() const { return bottom - top; }
};

struct Page {
  std::string title;
  std::vector<Rect> boxes;
};

class Layout {
 public:
  Layout(float width, float height) : width_(width), height_(height) {}

  // Scale that makes everything on the page visible; 1 for a page with nothing on it.
  float Fit(const Page& page) const {
    const Rect bounds = Bounds(page.boxes);
    const float sx = bounds.width() > 0 ? width_ / bounds.width() : 1.0f;
    const float sy = bounds.height() > 0 ? height_ / bounds.height() : 1.0f;
    return std::min({sx, sy, 1.0f});
  }

  std::vector<std::pair<std::string, float>> FitAll(const std::vector<Page>& pages) const {
    std::vector<std::pair<std::string, float>> scales;
    for (const Page& page : pages) scales.emplace_back(page.title, Fit(page));
    return scales;
  }

 private:
  static Rect Bounds(const std::vector<Rect>& boxes) {
    Rect bounds = boxes.front();
    for (const Rect& box : boxes) {
      bounds.left = std::min(bounds.left, box.left);
      bounds.top = std::min(bounds.top, box.top);
      bounds.right = std::max(bounds.right, box.right);
      bounds.bottom = std::max(bounds.bottom, box.bottom);
    }
    return bounds;
  }

  float width_;
  float height_;
};
