// Latest quotes, written by the feed thread and read by the strategies.
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

namespace desk {

struct Quote {
    int64_t bid = 0;
    int64_t ask = 0;
    uint32_t bid_size = 0;
    uint32_t ask_size = 0;
    std::string venue;
    std::chrono::steady_clock::time_point seen;
};

enum class Lookup { Found, Stale, Unknown };

class QuoteBoard {
public:
    explicit QuoteBoard(std::chrono::milliseconds max_age) : max_age_(max_age) {}

    void publish(const std::string &symbol, const Quote &quote) {
        std::lock_guard<std::mutex> hold(mutex_);
        quotes_[symbol] = quote;
    }

    void withdraw(const std::string &symbol) {
        std::lock_guard<std::mutex> hold(mutex_);
        quotes_.erase(symbol);
    }

    Lookup lookup(const std::string &symbol, const Quote *&out) const {
        std::lock_guard<std::mutex> hold(mutex_);
        auto entry = quotes_.find(symbol);
        if (entry == quotes_.end())
            return Lookup::Unknown;
        out = &entry->second;
        auto age = std::chrono::steady_clock::now() - entry->second.seen;
        return age > max_age_ ? Lookup::Stale : Lookup::Found;
    }

    std::size_t size() const {
        std::lock_guard<std::mutex> hold(mutex_);
        return quotes_.size();
    }

private:
    const std::chrono::milliseconds max_age_;
    mutable std::mutex mutex_;
    std::map<std::string, Quote> quotes_;
};

// Half of the spread in ticks, or -1 without a fresh quote.
int64_t half_spread(const QuoteBoard &board, const std::string &symbol) {
    const Quote *quote = nullptr;
    if (board.lookup(symbol, quote) != Lookup::Found)
        return -1;
    return (quote->ask - quote->bid) / 2;
}

}  // namespace desk
