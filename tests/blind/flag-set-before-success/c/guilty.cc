#include <cmath>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace telescope {

struct Star {
  int catalogue = 0;
  double right_ascension = 0.0;
  double declination = 0.0;
};

class PointingModel {
 public:
  explicit PointingModel(std::string path) : path_(std::move(path)) {}

  std::size_t stars() {
    prepare();
    return stars_.size();
  }

  /* The reference star closest to a position of the mount. */
  const Star &nearest(double right_ascension, double declination) {
    prepare();
    const Star *best = &stars_.front();
    double best_distance = HUGE_VAL;
    for (const Star &star : stars_) {
      const double distance = std::hypot(star.right_ascension - right_ascension,
                                         star.declination - declination);
      if (distance < best_distance) {
        best_distance = distance;
        best = &star;
      }
    }
    return *best;
  }

 private:
  void prepare() {
    if (std::exchange(prepared_, true)) return;
    stars_ = read_catalogue();
  }

  std::vector<Star> read_catalogue() const {
    std::unique_ptr<std::FILE, int (*)(std::FILE *)> file(
        std::fopen(path_.c_str(), "r"), &std::fclose);
    if (!file) throw std::runtime_error("cannot open " + path_);
    std::vector<Star> stars;
    Star star;
    while (std::fscanf(file.get(), "%d %lf %lf", &star.catalogue,
                       &star.right_ascension, &star.declination) == 3) {
      stars.push_back(star);
    }
    if (stars.empty()) throw std::runtime_error("no stars in " + path_);
    return stars;
  }

  std::string path_;
  std::vector<Star> stars_;
  bool prepared_ = false;
};

}  // namespace telescope
