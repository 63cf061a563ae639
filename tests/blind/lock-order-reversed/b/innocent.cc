#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

class ResetListener {
 public:
  virtual ~ResetListener() = default;
  virtual void DropAll() = 0;
};

class Device {
 public:
  uint64_t Allocate() {
    std::lock_guard<std::mutex> hold(mutex_);
    live_.insert(++last_);
    return last_;
  }
  void Free(uint64_t memory) {
    std::lock_guard<std::mutex> hold(mutex_);
    live_.erase(memory);
  }
  void Watch(ResetListener* listener) {
    std::lock_guard<std::mutex> hold(mutex_);
    listener_ = listener;
  }
  void Reset() {
    std::lock_guard<std::mutex> hold(mutex_);
    live_.clear();
    if (listener_) listener_->DropAll();
  }

 private:
  std::mutex mutex_;
  uint64_t last_ = 0;
  std::set<uint64_t> live_;
  ResetListener* listener_ = nullptr;
};

class TextureManager : public ResetListener {
 public:
  explicit TextureManager(Device* device) : device_(device) { device_->Watch(this); }
  ~TextureManager() override { device_->Watch(nullptr); }

  void Load(const std::string& name) {
    const uint64_t memory = device_->Allocate();
    std::lock_guard<std::mutex> hold(mutex_);
    textures_.push_back({name, memory, 0});
  }

  void Trim(int max_age) {
    std::vector<uint64_t> stale;
    {
      std::lock_guard<std::mutex> hold(mutex_);
      std::vector<Texture> kept;
      for (Texture& texture : textures_) {
        if (++texture.age > max_age) {
          stale.push_back(texture.memory);
        } else {
          kept.push_back(texture);
        }
      }
      textures_.swap(kept);
    }
    for (uint64_t memory : stale) device_->Free(memory);
  }

  void DropAll() override {
    std::lock_guard<std::mutex> hold(mutex_);
    textures_.clear();
  }

 private:
  struct Texture {
    std::string name;
    uint64_t memory;
    int age;
  };
  Device* device_;
  std::mutex mutex_;
  std::vector<Texture> textures_;
};
