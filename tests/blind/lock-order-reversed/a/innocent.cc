#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>

struct Session {
  std::string nick;
  std::string room;
};

class ChatServer {
 public:
  uint64_t Connect(std::string nick) {
    std::lock_guard<std::mutex> hold(sessions_mutex_);
    const uint64_t id = ++last_id_;
    sessions_[id].nick = std::move(nick);
    return id;
  }

  bool Join(uint64_t id, const std::string& room) {
    std::lock_guard<std::mutex> hold(sessions_mutex_);
    auto it = sessions_.find(id);
    if (it == sessions_.end()) return false;
    std::lock_guard<std::mutex> rooms(rooms_mutex_);
    if (!it->second.room.empty()) members_[it->second.room].erase(id);
    members_[room].insert(id);
    it->second.room = room;
    return true;
  }

  std::size_t Kick(const std::string& room) {
    std::lock_guard<std::mutex> sessions(sessions_mutex_);
    std::lock_guard<std::mutex> rooms(rooms_mutex_);
    auto members = members_.find(room);
    if (members == members_.end()) return 0;

    std::size_t kicked = 0;
    for (uint64_t id : members->second) {
      auto it = sessions_.find(id);
      if (it == sessions_.end()) continue;
      it->second.room.clear();
      ++kicked;
    }
    members_.erase(members);
    return kicked;
  }

 private:
  std::mutex sessions_mutex_;
  std::map<uint64_t, Session> sessions_;
  uint64_t last_id_ = 0;
  std::mutex rooms_mutex_;
  std::map<std::string, std::set<uint64_t>> members_;
};
