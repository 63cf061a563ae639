#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace harbour {

struct Report {
    std::uint32_t mmsi = 0;
    double latitude = 0;
    double longitude = 0;
    std::string ship;
};

class Feed {
public:
    virtual ~Feed() = default;
    virtual void post(std::string channel, Report report) = 0;
};

class Mailbox final : public Feed {
public:
    void post(std::string channel, Report report) override {
        std::lock_guard<std::mutex> hold(mutex_);
        waiting_.emplace_back(std::move(channel), std::move(report));
    }

    std::vector<std::pair<std::string, Report>> collect() {
        std::lock_guard<std::mutex> hold(mutex_);
        return std::exchange(waiting_, {});
    }

private:
    std::mutex mutex_;
    std::vector<std::pair<std::string, Report>> waiting_;
};

class Station {
public:
    void subscribe(std::shared_ptr<Feed> feed) { feeds_.push_back(std::move(feed)); }

    void name_berth(std::uint32_t mmsi, std::string berth) {
        berths_[mmsi] = std::move(berth);
    }

    void receive(Report report) {
        std::string channel = "roads";
        if (auto found = berths_.find(report.mmsi); found != berths_.end())
            channel = "berth/" + found->second;
        publish(std::move(channel), std::move(report));
    }

private:
    template <class... Parts>
    void publish(Parts &&...parts) {
        for (const auto &feed : feeds_)
            feed->post(std::forward<Parts>(parts)...);
    }

    std::vector<std::shared_ptr<Feed>> feeds_;
    std::unordered_map<std::uint32_t, std::string> berths_;
};

}  // namespace harbour
