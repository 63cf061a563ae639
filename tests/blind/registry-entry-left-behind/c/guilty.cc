#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace fleet {

class Drone {
 public:
  Drone(std::uint32_t radio, std::string callsign)
      : radio_(radio), callsign_(std::move(callsign)) {}

  std::uint32_t radio() const { return radio_; }
  const std::string &callsign() const { return callsign_; }
  void on_battery(int percent) { battery_ = percent; }
  int battery() const { return battery_; }

 private:
  std::uint32_t radio_;
  std::string callsign_;
  int battery_ = 100;
};

class Hangar {
 public:
  Drone *enroll(std::uint32_t radio, const std::string &callsign) {
    if (by_radio_.count(radio) || by_callsign_.count(callsign)) return nullptr;
    drones_.push_back(std::make_unique<Drone>(radio, callsign));
    Drone *drone = drones_.back().get();
    by_radio_.emplace(radio, drone);
    by_callsign_.emplace(callsign, drone);
    return drone;
  }

  Drone *find(const std::string &callsign) const {
    const auto it = by_callsign_.find(callsign);
    return it == by_callsign_.end() ? nullptr : it->second;
  }

  /* Called by the radio for each telemetry packet. */
  void telemetry(std::uint32_t radio, int battery) {
    const auto it = by_radio_.find(radio);
    if (it != by_radio_.end()) it->second->on_battery(battery);
  }

  bool retire(const std::string &callsign) {
    const auto entry = by_callsign_.find(callsign);
    if (entry == by_callsign_.end()) return false;
    Drone *drone = entry->second;
    by_callsign_.erase(entry);
    drones_.erase(std::find_if(
        drones_.begin(), drones_.end(),
        [drone](const std::unique_ptr<Drone> &d) { return d.get() == drone; }));
    return true;
  }

 private:
  std::vector<std::unique_ptr<Drone>> drones_;
  std::unordered_map<std::uint32_t, Drone *> by_radio_;
  std::unordered_map<std::string, Drone *> by_callsign_;
};

}  // namespace fleet
