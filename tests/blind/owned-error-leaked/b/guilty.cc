#include <cstddef>
#include <cstring>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

struct RtError {
  int code;
  std::string message;
};

RtError* RtMakeError(int code, std::string message) { return new RtError{code, std::move(message)}; }
void RtErrorDestroy(RtError* error) { delete error; }

struct RtBuffer {
  std::vector<unsigned char> bytes;
  bool donated = false;
};

/* Null when all is well, else an error that the caller has to destroy. */
RtError* RtCopyToHost(const RtBuffer* buffer, void* out, std::size_t size) {
  if (buffer->donated) return RtMakeError(9, "buffer was donated");
  if (size < buffer->bytes.size()) return RtMakeError(3, "destination is too small");
  std::memcpy(out, buffer->bytes.data(), buffer->bytes.size());
  return nullptr;
}

RtError* RtDonate(RtBuffer* buffer) {
  if (buffer->donated) return RtMakeError(9, "buffer was donated before");
  buffer->donated = true;
  return nullptr;
}

void ThrowIfError(RtError* error) {
  if (error == nullptr) return;
  std::unique_ptr<RtError, void (*)(RtError*)> owner(error, &RtErrorDestroy);
  throw std::runtime_error(owner->message);
}

class Literal {
 public:
  explicit Literal(std::size_t size) : bytes_(size) {}
  unsigned char* data() { return bytes_.data(); }
  std::size_t size() const { return bytes_.size(); }

 private:
  std::vector<unsigned char> bytes_;
};

class Array {
 public:
  explicit Array(std::vector<unsigned char> bytes) { buffer_.bytes = std::move(bytes); }

  void Donate() { ThrowIfError(RtDonate(&buffer_)); }

  std::unique_ptr<Literal> TryFetch() const {
    auto literal = std::make_unique<Literal>(buffer_.bytes.size());
    if (RtCopyToHost(&buffer_, literal->data(), literal->size()) != nullptr) {
      return nullptr;
    }
    return literal;
  }

 private:
  RtBuffer buffer_;
};
