#include <cstdint>
#include <map>
#include <set>
#include <stdexcept>
#include <vector>

class BufferHandle;

class Device {
 public:
  uint32_t CreateBuffer() {
    uint32_t id = 1;
    while (buffers_.count(id) != 0) ++id;
    buffers_.insert(id);
    return id;
  }
  void DestroyBuffer(uint32_t id) { buffers_.erase(id); }

  BufferHandle* HandleFor(uint32_t id) const {
    auto it = handles_.find(id);
    return it == handles_.end() ? nullptr : it->second;
  }

  void Lost();

 private:
  friend class BufferHandle;
  std::set<uint32_t> buffers_;
  std::map<uint32_t, BufferHandle*> handles_;
};

class BufferHandle {
 public:
  explicit BufferHandle(Device* device) : device_(device), id_(device->CreateBuffer()) {
    device_->handles_[id_] = this;
  }
  BufferHandle(const BufferHandle&) = delete;
  BufferHandle& operator=(const BufferHandle&) = delete;

  ~BufferHandle() {
    if (dead_) return;
    device_->handles_.erase(id_);
    device_->DestroyBuffer(id_);
  }

  void Upload(const std::vector<float>& values) {
    if (dead_) throw std::runtime_error("device was lost");
    uploaded_ = values.size() * sizeof(float);
  }

  uint64_t uploaded() const { return uploaded_; }
  void MarkDead() { dead_ = true; }

 private:
  Device* device_;
  uint32_t id_;
  uint64_t uploaded_ = 0;
  bool dead_ = false;
};

void Device::Lost() {
  buffers_.clear();
  for (auto& entry : handles_) {
    entry.second->MarkDead();
  }
}

uint64_t UploadedBytes(const Device& device, uint32_t id) {
  const BufferHandle* handle = device.HandleFor(id);
  return handle ? handle->uploaded() : 0;
}
