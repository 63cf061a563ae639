#ifndef MERIDIAN_GEOMETRY_H_
#define MERIDIAN_GEOMETRY_H_

namespace meridian {

struct Point {
  double x = 0;
  double y = 0;
};

struct Rect {
  double left = 0;
  double top = 0;
  double right = 0;
  double bottom = 0;

  bool Intersects(const Rect& other) const {
    return left < other.right && other.left < right && top < other.bottom &&
           other.top < bottom;
  }
};

}  // namespace meridian

#endif  // MERIDIAN_GEOMETRY_H_
