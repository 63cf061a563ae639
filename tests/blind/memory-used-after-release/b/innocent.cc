#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

struct Player {
  std::string name;
  int score = 0;
  std::vector<std::string> inbox;
};

class Lobby {
 public:
  uint32_t Enter(std::string name) {
    auto player = std::make_unique<Player>();
    player->name = std::move(name);
    const uint32_t id = ++last_id_;
    Broadcast(player->name + " joined");
    players_.emplace(id, std::move(player));
    return id;
  }

  bool Leave(uint32_t id) {
    Player* player = Find(id);
    if (player == nullptr) return false;
    if (player->score > best_score_) best_score_ = player->score;
    const std::string name = player->name;
    Forget(id);
    Broadcast(name + " left");
    return true;
  }

  bool Score(uint32_t id, int points) {
    Player* player = Find(id);
    if (player == nullptr) return false;
    player->score += points;
    return true;
  }

  int best_score() const { return best_score_; }

 private:
  Player* Find(uint32_t id) {
    auto it = players_.find(id);
    return it == players_.end() ? nullptr : it->second.get();
  }
  void Forget(uint32_t id) { players_.erase(id); }
  void Broadcast(const std::string& line) {
    for (auto& entry : players_) entry.second->inbox.push_back(line);
  }

  uint32_t last_id_ = 0;
  int best_score_ = 0;
  std::map<uint32_t, std::unique_ptr<Player>> players_;
};
