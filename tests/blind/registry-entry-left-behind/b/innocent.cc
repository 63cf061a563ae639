#include <cstdint>
#include <cstdio>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace media {

class Codec;

std::map<uint32_t, Codec*>& codecs() {
  static std::map<uint32_t, Codec*> table;
  return table;
}

class Codec {
 public:
  Codec(uint32_t fourcc, std::string log_path) : fourcc_(fourcc), log_path_(std::move(log_path)) {
    if (!codecs().emplace(fourcc_, this).second) throw std::runtime_error("codec exists");
  }
  Codec(const Codec&) = delete;
  Codec& operator=(const Codec&) = delete;

  virtual ~Codec() {
    codecs().erase(fourcc_);
    if (!opened_) return;
    Close();
  }

  bool Open() {
    if (opened_) return true;
    log_ = std::fopen(log_path_.c_str(), "a");
    opened_ = log_ != nullptr;
    return opened_;
  }

  virtual std::vector<uint8_t> Encode(const std::vector<uint8_t>& frame) {
    if (!Open()) return {};
    std::fprintf(log_, "%zu bytes\n", frame.size());
    return frame;
  }

  static Codec* Lookup(uint32_t fourcc) {
    auto it = codecs().find(fourcc);
    return it == codecs().end() ? nullptr : it->second;
  }

 private:
  void Close() {
    std::fclose(log_);
    log_ = nullptr;
  }

  const uint32_t fourcc_;
  const std::string log_path_;
  std::FILE* log_ = nullptr;
  bool opened_ = false;
};

std::vector<uint8_t> Transcode(uint32_t fourcc, const std::vector<uint8_t>& frame) {
  Codec* codec = Codec::Lookup(fourcc);
  if (codec == nullptr) throw std::out_of_range("no codec for this format");
  return codec->Encode(frame);
}

}  // namespace media
