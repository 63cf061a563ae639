#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace media {

struct Packet {
  std::vector<unsigned char> data;
  long long pts = 0;
};

class Decoder {
 public:
  virtual ~Decoder() = default;
  virtual bool Push(const Packet& p) = 0;
};

class SoftwareDecoder : public Decoder {
 public:
  bool Push(const Packet& p) override { return !p.data.empty(); }
};

class HardwareDecoder : public Decoder {
 public:
  explicit HardwareDecoder(int device) : device_(device) {}
  bool Push(const Packet& p) override { return device_ >= 0 && !p.data.empty(); }

 private:
  int device_;
};

inline bool HardwareDecodeEnabled() {
  static const bool enabled = [] {
    const char* hw = std::getenv("MEDIA_ENABLE_HW_DECODE");
    return hw != nullptr && std::strcmp(hw, "1") == 0;
  }();
  return enabled;
}

class StreamTrack {
 public:
  explicit StreamTrack(int index) : index_(index) {
    if (HardwareDecodeEnabled()) {
      decoder_ = std::make_unique<HardwareDecoder>(0);
    } else {
      decoder_ = std::make_unique<SoftwareDecoder>();
    }
  }

  int index() const { return index_; }
  bool Feed(const Packet& p) { return decoder_->Push(p); }

 private:
  int index_;
  std::unique_ptr<Decoder> decoder_;
};

class Player {
 public:
  explicit Player(std::string url) : url_(std::move(url)) {
    surface_pool_size_ = HardwareDecodeEnabled() ? 16 : 0;
  }

  StreamTrack& OpenTrack() {
    tracks_.push_back(std::make_unique<StreamTrack>(static_cast<int>(tracks_.size())));
    return *tracks_.back();
  }

  int surface_pool_size() const { return surface_pool_size_; }
  const std::string& url() const { return url_; }

 private:
  std::string url_;
  int surface_pool_size_ = 0;
  std::vector<std::unique_ptr<StreamTrack>> tracks_;
};

}  // namespace media
