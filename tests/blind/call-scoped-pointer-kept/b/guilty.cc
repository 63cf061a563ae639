#include <cstddef>
#include <cstdint>
#include <functional>
#include <future>
#include <vector>

class TaskQueue {
 public:
  void Submit(std::function<void()> task) {
    pending_.push_back(std::async(std::launch::async, std::move(task)));
  }
  void Drain() {
    for (auto& p : pending_) p.wait();
    pending_.clear();
  }

 private:
  std::vector<std::future<void>> pending_;
};

struct Image {
  int width = 0;
  int height = 0;
  std::vector<uint8_t> pixels;
};

class ImageScaler {
 public:
  ImageScaler(int width, int height) : width_(width), height_(height) {}
  ImageScaler(const ImageScaler&) = delete;
  ImageScaler& operator=(const ImageScaler&) = delete;
  ~ImageScaler() {
    if (queue_) queue_->Drain();
  }

  Image Scale(const Image& in, TaskQueue* queue) {
    Image out{width_, height_, std::vector<uint8_t>(std::size_t(width_) * height_)};
    if (in.width == 0 || in.height == 0) return out;
    if (!queue_) queue_ = queue;
    for (int y = 0; y < height_; ++y) {
      queue_->Submit([this, &in, &out, y] { ScaleRow(in, y, out); });
    }
    queue_->Drain();
    return out;
  }

 private:
  void ScaleRow(const Image& in, int y, Image& out) const {
    const int sy = y * in.height / height_;
    for (int x = 0; x < width_; ++x) {
      const int sx = x * in.width / width_;
      out.pixels[std::size_t(y) * width_ + x] = in.pixels[std::size_t(sy) * in.width + sx];
    }
  }

  const int width_;
  const int height_;
  TaskQueue* queue_ = nullptr;
};
