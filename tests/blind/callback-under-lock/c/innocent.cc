#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace trading {

struct Quote {
  double bid = 0.0;
  double ask = 0.0;
  std::uint64_t sequence = 0;
};

template <typename State>
class Synchronized {
 public:
  template <typename Fn>
  decltype(auto) with(Fn &&fn) {
    std::unique_lock<std::mutex> hold(mutex_);
    return std::forward<Fn>(fn)(state_);
  }

 private:
  std::mutex mutex_;
  State state_;
};

class Tape {
 public:
  using Watcher = std::function<void(const std::string &, const Quote &)>;

  int watch(Watcher watcher) {
    return state_.with([&](State &s) {
      s.watchers.emplace(++s.last_id, std::move(watcher));
      return s.last_id;
    });
  }

  void unwatch(int id) {
    state_.with([&](State &s) { s.watchers.erase(id); });
  }

  Quote last(const std::string &symbol) {
    return state_.with([&](State &s) { return s.quotes[symbol]; });
  }

  bool publish(const std::string &symbol, Quote quote) {
    std::map<int, Watcher> watchers;
    const bool fresh = state_.with([&](State &s) {
      Quote &slot = s.quotes[symbol];
      if (quote.sequence <= slot.sequence) return false;
      slot = quote;
      watchers = s.watchers;
      return true;
    });
    for (auto &[id, tell] : watchers) tell(symbol, quote);
    return fresh;
  }

 private:
  struct State {
    std::map<int, Watcher> watchers;
    std::map<std::string, Quote> quotes;
    int last_id = 0;
  };

  Synchronized<State> state_;
};

}  // namespace trading
