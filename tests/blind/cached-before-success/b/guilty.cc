#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>

struct Dialect {
  std::string prefix;
  std::set<std::string> operations;

  bool Has(const std::string& op) const { return operations.count(op) != 0; }
};

class DialectRegistry {
 public:
  explicit DialectRegistry(std::string directory) : directory_(std::move(directory)) {}

  const Dialect& GetOrLoad(const std::string& name) {
    auto [slot, missing] = loaded_.try_emplace(name);
    Dialect& dialect = slot->second;
    if (missing) {
      dialect.prefix = name + ".";
      ReadDefinitions(name, dialect);
    }
    return dialect;
  }

  bool Verify(const std::string& qualified) {
    const std::size_t dot = qualified.find('.');
    if (dot == std::string::npos) return false;
    return GetOrLoad(qualified.substr(0, dot)).Has(qualified.substr(dot + 1));
  }

 private:
  void ReadDefinitions(const std::string& name, Dialect& dialect) const {
    const std::string path = directory_ + "/" + name + ".ops";
    std::ifstream in(path);
    if (!in) throw std::runtime_error("cannot read " + path);
    std::string line;
    while (std::getline(in, line)) {
      std::istringstream words(line);
      std::string keyword, op;
      if (!(words >> keyword)) continue;
      if (keyword != "op" || !(words >> op)) throw std::runtime_error(path + ": " + line);
      dialect.operations.insert(op);
    }
  }

  std::string directory_;
  std::map<std::string, Dialect> loaded_;
};
