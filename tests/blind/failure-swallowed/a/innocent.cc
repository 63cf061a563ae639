#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

using Settings = std::map<std::string, int>;

absl::StatusOr<Settings> ParseSettings(const std::string& text) {
  Settings settings;
  for (const std::string& line : std::vector<std::string>(absl::StrSplit(text, '\n'))) {
    if (line.empty() || line[0] == '#') continue;
    const std::pair<std::string, std::string> entry = absl::StrSplit(line, absl::MaxSplits('=', 1));
    int value = 0;
    if (!absl::SimpleAtoi(entry.second, &value)) {
      return absl::InvalidArgumentError(absl::StrCat("not a number: ", line));
    }
    settings[entry.first] = value;
  }
  return settings;
}

class ConfigService {
 public:
  absl::Status Reload(const std::string& text) {
    absl::StatusOr<Settings> parsed = ParseSettings(text);
    if (!parsed.ok()) return parsed.status();
    auto workers = parsed->find("workers");
    if (workers != parsed->end() && workers->second < 1) {
      return absl::OutOfRangeError("workers must be positive");
    }
    settings_ = *std::move(parsed);
    ++generation_;
    return absl::OkStatus();
  }

  int Get(const std::string& key, int fallback) const {
    auto it = settings_.find(key);
    return it == settings_.end() ? fallback : it->second;
  }

  int generation() const { return generation_; }

 private:
  Settings settings_;
  int generation_ = 0;
};
