#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace ctscan {

using byte_t = std::uint8_t;
using byte_buffer = std::vector<byte_t>;

struct frame_header {
  std::array<char, 4> magic;
  std::uint16_t rows;
  std::uint16_t columns;
  std::int16_t rescale_intercept;
  std::uint16_t reserved;
};
static_assert(sizeof(frame_header) == 12, "on-disk layout");

struct frame {
  std::uint16_t rows = 0;
  std::uint16_t columns = 0;
  std::vector<std::int16_t> hounsfield;
};

class bad_frame : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A read-only view over bytes that somebody else owns.
class byte_cursor {
 public:
  byte_cursor(const byte_t* data, std::size_t size)
      : at_(data), left_(size) {}

  template <typename T>
  T take() {
    T value;
    std::memcpy(&value, advance(sizeof(T)), sizeof(T));
    return value;
  }

  const byte_t* advance(std::size_t count) {
    if (count > left_) throw bad_frame("frame is truncated");
    const byte_t* start = at_;
    at_ += count;
    left_ -= count;
    return start;
  }

  std::size_t left() const noexcept { return left_; }

 private:
  const byte_t* at_;
  std::size_t left_;
};

inline std::uint32_t adler32(const byte_t* data, std::size_t size) {
  std::uint32_t a = 1, b = 0;
  for (std::size_t i = 0; i < size; ++i) {
    a = (a + data[i]) % 65521u;
    b = (b + a) % 65521u;
  }
  return (b << 16) | a;
}

byte_buffer slurp(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("cannot open " + path);
  in.seekg(0, std::ios::end);
  const std::streamoff size = in.tellg();
  if (size < 0) throw std::runtime_error("cannot size " + path);
  in.seekg(0, std::ios::beg);

  byte_buffer bytes(static_cast<std::size_t>(size));
  if (!in.read(reinterpret_cast<char*>(bytes.data()), size)) {
    throw std::runtime_error("cannot read " + path);
  }
  return bytes;
}

// Decodes one frame: header, samples, then a checksum of the two.
frame decode_frame(const byte_buffer& bytes) {
  byte_cursor cursor(bytes.data(), bytes.size());

  const auto header = cursor.take<frame_header>();
  if (std::memcmp(header.magic.data(), "CTF1", 4) != 0) {
    throw bad_frame("bad magic");
  }

  frame result;
  result.rows = header.rows;
  result.columns = header.columns;

  const std::size_t samples =
      static_cast<std::size_t>(header.rows) * header.columns;
  const std::size_t sample_bytes = samples * sizeof(std::int16_t);
  const byte_t* stored = cursor.advance(sample_bytes);

  const auto expected = cursor.take<std::uint32_t>();
  if (adler32(bytes.data(), sizeof(frame_header) + sample_bytes) != expected) {
    throw bad_frame("checksum mismatch");
  }

  result.hounsfield.resize(samples);
  for (std::size_t i = 0; i < samples; ++i) {
    std::int16_t raw;
    std::memcpy(&raw, stored + i * sizeof(raw), sizeof(raw));
    result.hounsfield[i] = static_cast<std::int16_t>(
        std::clamp(raw + header.rescale_intercept, -32768, 32767));
  }
  return result;
}

}  // namespace ctscan
