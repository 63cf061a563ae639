#include <cstddef>
#include <mutex>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace lobby {

struct Table {
  std::size_t seats = 4;
  std::vector<std::string> players;
};

class Lobby {
 public:
  void open(const std::string &name, std::size_t seats) {
    std::lock_guard<std::mutex> hold(mutex_);
    Table &table = tables_[name];
    table.seats = seats;
  }

  void dissolve(const std::string &name) {
    std::lock_guard<std::mutex> hold(mutex_);
    tables_.erase(name);
  }

  bool has_room(const std::string &name) const {
    std::lock_guard<std::mutex> hold(mutex_);
    return has_room_locked(name);
  }

  bool sit(const std::string &name, std::string player) {
    if (player.empty()) throw std::invalid_argument("a player needs a name");
    if (!has_room(name)) return false;

    std::lock_guard<std::mutex> hold(mutex_);
    Table &table = tables_.find(name)->second;
    table.players.push_back(std::move(player));
    ++seated_;
    return true;
  }

  std::vector<std::string> players(const std::string &name) const {
    std::lock_guard<std::mutex> hold(mutex_);
    auto it = tables_.find(name);
    return it == tables_.end() ? std::vector<std::string>{} : it->second.players;
  }

  std::size_t seated() const {
    std::lock_guard<std::mutex> hold(mutex_);
    return seated_;
  }

 private:
  bool has_room_locked(const std::string &name) const {
    auto it = tables_.find(name);
    return it != tables_.end() && it->second.players.size() < it->second.seats;
  }

  mutable std::mutex mutex_;
  std::unordered_map<std::string, Table> tables_;
  std::size_t seated_ = 0;
};

}  // namespace lobby
