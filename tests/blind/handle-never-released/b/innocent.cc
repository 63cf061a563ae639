#include <errno.h>
#include <iconv.h>

#include <memory>
#include <stdexcept>
#include <string>

class Transcoder {
 public:
  virtual ~Transcoder() = default;
  virtual std::string Convert(std::string input) = 0;
};

class PlainTranscoder final : public Transcoder {
 public:
  std::string Convert(std::string input) override { return input; }
};

class IconvTranscoder final : public Transcoder {
 public:
  explicit IconvTranscoder(const std::string& charset) {
    cd_ = iconv_open("UTF-8", charset.c_str());
    if (cd_ == reinterpret_cast<iconv_t>(-1)) {
      throw std::invalid_argument("unknown charset " + charset);
    }
  }
  IconvTranscoder(const IconvTranscoder&) = delete;
  IconvTranscoder& operator=(const IconvTranscoder&) = delete;
  ~IconvTranscoder() override { iconv_close(cd_); }

  std::string Convert(std::string input) override {
    std::string output;
    char* in = input.data();
    std::size_t left = input.size();
    iconv(cd_, nullptr, nullptr, nullptr, nullptr);
    while (left > 0) {
      char chunk[256];
      char* out = chunk;
      std::size_t room = sizeof chunk;
      const std::size_t rc = iconv(cd_, &in, &left, &out, &room);
      output.append(chunk, sizeof chunk - room);
      if (rc == static_cast<std::size_t>(-1) && errno != E2BIG) {
        throw std::runtime_error("invalid byte sequence");
      }
    }
    return output;
  }

 private:
  iconv_t cd_;
};

std::unique_ptr<Transcoder> MakeDecoder(const std::string& charset) {
  if (charset == "utf-8" || charset == "us-ascii") return std::make_unique<PlainTranscoder>();
  return std::make_unique<IconvTranscoder>(charset);
}
