// Drones in the air, by call sign, for the ground station.
#include <algorithm>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ground {

class Radio;

class Drone {
public:
    Drone(std::string callsign, int channel) : callsign_(std::move(callsign)), channel_(channel) {}

    bool preflight(Radio &radio);
    void steer(double bearing, double climb);

    const std::string &callsign() const { return callsign_; }
    int channel() const { return channel_; }

private:
    std::string callsign_;
    int channel_;
    double bearing_ = 0.0;
};

class Fleet {
public:
    explicit Fleet(Radio &radio) : radio_(radio) {}

    // Null when the call sign is taken or the drone is not fit to fly.
    Drone *launch(const std::string &callsign, int channel) {
        if (by_callsign_.count(callsign) != 0)
            return nullptr;
        auto drone = std::make_unique<Drone>(callsign, channel);
        Drone *raw = drone.get();
        // The radio answers through find(), so the entry comes first.
        by_callsign_.emplace(callsign, raw);
        if (!raw->preflight(radio_)) {
            by_callsign_.erase(callsign);
            return nullptr;
        }
        flying_.push_back(std::move(drone));
        return raw;
    }

    void land(const std::string &callsign) {
        auto entry = by_callsign_.find(callsign);
        if (entry == by_callsign_.end())
            return;
        Drone *landed = entry->second;
        by_callsign_.erase(entry);
        flying_.erase(std::remove_if(flying_.begin(), flying_.end(),
                                     [landed](const std::unique_ptr<Drone> &d) { return d.get() == landed; }),
                      flying_.end());
    }

    Drone *find(const std::string &callsign) const {
        auto entry = by_callsign_.find(callsign);
        return entry == by_callsign_.end() ? nullptr : entry->second;
    }

private:
    Radio &radio_;
    std::vector<std::unique_ptr<Drone>> flying_;
    std::unordered_map<std::string, Drone *> by_callsign_;
};

}  // namespace ground
