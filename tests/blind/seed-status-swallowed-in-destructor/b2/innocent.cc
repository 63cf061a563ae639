// A market maker's quoting session on one exchange gateway.
#include <algorithm>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace mm {

class Result {
 public:
  static Result Ok() { return Result(true, {}); }
  static Result Rejected(std::string why) { return Result(false, std::move(why)); }
  explicit operator bool() const { return ok_; }
  const char* reason() const { return why_.c_str(); }
  void IgnoreError() const {}

 private:
  Result(bool ok, std::string why) : ok_(ok), why_(std::move(why)) {}
  bool ok_;
  std::string why_;
};

using OrderId = uint64_t;

class Gateway {
 public:
  virtual ~Gateway() = default;
  virtual Result Submit(const std::string& symbol, int64_t px, int32_t qty, OrderId* id) = 0;
  virtual Result Cancel(OrderId id) = 0;
};

__attribute__((format(printf, 1, 2))) void Journal(const char* fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  std::vfprintf(stderr, fmt, ap);
  va_end(ap);
}

class Session {
 public:
  explicit Session(std::shared_ptr<Gateway> gw) : gateway_(std::move(gw)) {}
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  virtual ~Session() = default;
  virtual void OnTick(int64_t mid) = 0;

 protected:
  std::shared_ptr<Gateway> gateway_;
};

class QuoteSession final : public Session {
 public:
  QuoteSession(std::shared_ptr<Gateway> gw, std::string symbol)
      : Session(std::move(gw)), symbol_(std::move(symbol)) {}
  ~QuoteSession() override;
  void OnTick(int64_t mid) override;

 private:
  void Place(int64_t px, int32_t qty);

  std::string symbol_;
  std::vector<OrderId> open_;
};

void QuoteSession::Place(int64_t px, int32_t qty) {
  OrderId id = 0;
  if (Result r = gateway_->Submit(symbol_, px, qty, &id); !r) {
    Journal("%s: submit refused: %s\n", symbol_.c_str(), r.reason());
    return;
  }
  open_.push_back(id);
}

void QuoteSession::OnTick(int64_t mid) {
  if (!open_.empty()) return;
  Place(mid - 2, 100);
  Place(mid + 2, -100);
}

QuoteSession::~QuoteSession() {
  std::for_each(open_.rbegin(), open_.rend(), [this](OrderId id) {
    if (Result r = gateway_->Cancel(id); !r)
      Journal("%s: order %llu not cancelled: %s\n", symbol_.c_str(),
              static_cast<unsigned long long>(id), r.reason());
  });
}

}  // namespace mm
