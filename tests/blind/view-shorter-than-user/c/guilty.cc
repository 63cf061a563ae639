// Place names of the tide tables, found without regard to case.
#include <cctype>
#include <cstddef>
#include <istream>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tides {

struct Place {
  std::string name;
  double latitude = 0.0;
  double longitude = 0.0;
};

inline std::string fold(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (unsigned char c : text) {
    if (c == '-' || c == '_') c = ' ';
    out.push_back(static_cast<char>(std::tolower(c)));
  }
  return out;
}

class Gazetteer {
 public:
  std::size_t load(std::istream &in) {
    Place place;
    std::size_t added = 0;
    while (in >> place.latitude >> place.longitude && std::getline(in >> std::ws, place.name)) {
      std::string folded = fold(place.name);
      auto [where, fresh] = by_name_.try_emplace(folded, places_.size());
      if (!fresh) {
        places_[where->second] = place;
        continue;
      }
      places_.push_back(place);
      ++added;
    }
    return added;
  }

  std::optional<Place> find(std::string_view name) const {
    const std::string folded = fold(name);
    const auto found = by_name_.find(folded);
    if (found == by_name_.end()) return std::nullopt;
    return places_[found->second];
  }

  std::size_t size() const { return places_.size(); }

 private:
  std::vector<Place> places_;
  std::unordered_map<std::string_view, std::size_t> by_name_;
};

}  // namespace tides
