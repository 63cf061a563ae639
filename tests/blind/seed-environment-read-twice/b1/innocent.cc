// Desk time: settlement dates and the trade blotter.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace desk {

using Clock = std::chrono::system_clock;
using Minutes = std::chrono::minutes;

#define DESK_OFFSET_ENV "DESK_UTC_OFFSET"

class SettlementCalendar {
 public:
  explicit SettlementCalendar(int lag_days) : lag_days_(lag_days) {
    const char* hours = std::getenv(DESK_OFFSET_ENV);
    offset_ = std::chrono::hours(hours ? std::atoi(hours) : 0);
  }

  std::string SettleDate(Clock::time_point traded) const {
    return Format(traded + offset_ + std::chrono::hours(24 * lag_days_));
  }
  Minutes offset() const { return offset_; }

  static std::string Format(Clock::time_point t) {
    const std::time_t secs = Clock::to_time_t(t);
    std::tm parts{};
    gmtime_r(&secs, &parts);
    char buf[16];
    std::strftime(buf, sizeof buf, "%Y-%m-%d", &parts);
    return buf;
  }

 private:
  int lag_days_;
  Minutes offset_{0};
};

struct Trade {
  std::string isin;
  long quantity = 0;
  double price = 0;
  Clock::time_point at;
};

// Sets the desk's offset for its lifetime and puts back what was there.
class ScopedDeskOffset {
 public:
  explicit ScopedDeskOffset(const char* value);
  ScopedDeskOffset(const ScopedDeskOffset&) = delete;
  ScopedDeskOffset& operator=(const ScopedDeskOffset&) = delete;
  ~ScopedDeskOffset() {
    if (saved_) {
      setenv(DESK_OFFSET_ENV, saved_->c_str(), 1);
    } else {
      unsetenv(DESK_OFFSET_ENV);
    }
  }

 private:
  std::optional<std::string> saved_;
};

ScopedDeskOffset::ScopedDeskOffset(const char* value) {
  if (const char* text = std::getenv(DESK_OFFSET_ENV)) saved_ = text;
  setenv(DESK_OFFSET_ENV, value, 1);
}

class TradeBlotter {
 public:
  explicit TradeBlotter(const SettlementCalendar& calendar) : calendar_(calendar) {}

  void Book(Trade t) { trades_.push_back(std::move(t)); }
  void Print(std::FILE* out) const;

 private:
  const SettlementCalendar& calendar_;
  std::vector<Trade> trades_;
};

void TradeBlotter::Print(std::FILE* out) const {
  for (const Trade& t : trades_) {
    const std::string day = SettlementCalendar::Format(t.at + calendar_.offset());
    std::fprintf(out, "%s %s %ld @ %.4f settles %s\n", day.c_str(), t.isin.c_str(), t.quantity,
                 t.price, calendar_.SettleDate(t.at).c_str());
  }
}

}  // namespace desk
