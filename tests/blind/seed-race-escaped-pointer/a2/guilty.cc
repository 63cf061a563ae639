// Background path planning for NPCs.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <queue>
#include <thread>
#include <unordered_set>
#include <utility>
#include <vector>

namespace game {

using EntityId = uint64_t;

struct Vec2 {
  float x = 0, y = 0;
};

struct PathRequest {
  EntityId entity;
  Vec2 from, to;
};

struct Path {
  EntityId entity;
  std::vector<Vec2> points;
};

class PathPlanner {
 public:
  explicit PathPlanner(const std::unordered_set<EntityId>* alive)
      : alive_(alive), worker_([this] { Run(); }) {}

  ~PathPlanner() {
    stop_ = true;
    worker_.join();
  }

  void Submit(const PathRequest& request) {
    std::lock_guard<std::mutex> lock(queue_mu_);
    requests_.push(request);
  }

  std::vector<Path> TakeFinished() {
    std::lock_guard<std::mutex> lock(queue_mu_);
    return std::exchange(finished_, {});
  }

 private:
  std::optional<PathRequest> Next() {
    std::lock_guard<std::mutex> lock(queue_mu_);
    if (requests_.empty()) return std::nullopt;
    PathRequest request = requests_.front();
    requests_.pop();
    return request;
  }

  void Run() {
    while (!stop_) {
      std::optional<PathRequest> request = Next();
      if (!request) {
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        continue;
      }
      if (!alive_->contains(request->entity)) continue;
      Path path{request->entity, {request->from, request->to}};
      std::lock_guard<std::mutex> lock(queue_mu_);
      finished_.push_back(std::move(path));
    }
  }

  const std::unordered_set<EntityId>* alive_;
  std::mutex queue_mu_;
  std::queue<PathRequest> requests_;
  std::vector<Path> finished_;
  std::atomic<bool> stop_{false};
  std::thread worker_;
};

class World {
 public:
  EntityId Spawn() {
    std::lock_guard<std::mutex> lock(mu_);
    alive_.insert(++last_id_);
    return last_id_;
  }

  void Despawn(EntityId id) {
    std::lock_guard<std::mutex> lock(mu_);
    alive_.erase(id);
  }

  PathPlanner& planner() { return planner_; }

 private:
  std::mutex mu_;
  EntityId last_id_ = 0;
  std::unordered_set<EntityId> alive_;
  PathPlanner planner_{&alive_};
};

}  // namespace game
