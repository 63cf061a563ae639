#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <queue>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#ifdef NDEBUG
#define CHECK_DEBUG(condition) static_cast<void>(0)
#else
#define CHECK_DEBUG(condition)                                                     \
  do {                                                                             \
    if (!(condition)) {                                                            \
      std::fprintf(stderr, "%s:%d: check failed: %s\n", __FILE__, __LINE__, #condition); \
      std::abort();                                                                \
    }                                                                              \
  } while (0)
#endif

struct Session {
  std::string user;
  int64_t created = 0;
};

class SessionTable {
 public:
  explicit SessionTable(int64_t lifetime) : lifetime_(lifetime) {}

  uint64_t Create(std::string user, int64_t now) {
    const uint64_t id = ++last_id_;
    sessions_.emplace(id, Session{std::move(user), now});
    by_age_.push(Age{now, id});
    return id;
  }

  const Session* Find(uint64_t id) const {
    auto it = sessions_.find(id);
    return it == sessions_.end() ? nullptr : &it->second;
  }

  std::size_t Expire(int64_t now) {
    std::size_t expired = 0;
    while (!by_age_.empty() && by_age_.top().created + lifetime_ <= now) {
      const Age oldest = by_age_.top();
      CHECK_DEBUG(sessions_.erase(oldest.id) == 1);
      by_age_.pop();
      ++expired;
    }
    return expired;
  }

 private:
  struct Age {
    int64_t created;
    uint64_t id;
    bool operator>(const Age& other) const { return created > other.created; }
  };
  const int64_t lifetime_;
  uint64_t last_id_ = 0;
  std::unordered_map<uint64_t, Session> sessions_;
  std::priority_queue<Age, std::vector<Age>, std::greater<Age>> by_age_;
};
