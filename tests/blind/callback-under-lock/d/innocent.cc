// Routes the events of a match to the scripts that asked for them.
#include <cstdint>
#include <functional>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace arena {

enum class EventKind : uint8_t { Goal, Foul, Substitution, Whistle };

struct Event {
    EventKind kind;
    int player;
    std::string note;
};

class Dispatcher {
public:
    using Handler = std::function<void(const Event &)>;

    void on(EventKind kind, Handler handler) {
        std::unique_lock<std::shared_mutex> writing(mutex_);
        routes_[kind].handler = std::move(handler);
    }

    void off(EventKind kind) {
        std::unique_lock<std::shared_mutex> writing(mutex_);
        routes_.erase(kind);
    }

    bool post(const Event &event) {
        std::shared_lock<std::shared_mutex> reading(mutex_);
        auto route = routes_.find(event.kind);
        if (route == routes_.end() || !route->second.handler)
            return false;
        const Handler deliver = route->second.handler;
        reading.unlock();
        deliver(event);
        return true;
    }

    std::size_t size() const {
        std::shared_lock<std::shared_mutex> reading(mutex_);
        return routes_.size();
    }

private:
    struct Route {
        Handler handler;
    };

    mutable std::shared_mutex mutex_;
    std::unordered_map<EventKind, Route> routes_;
};

void whistle(Dispatcher &dispatcher, int referee) {
    dispatcher.post(Event{EventKind::Whistle, referee, "full time"});
}

}  // namespace arena
