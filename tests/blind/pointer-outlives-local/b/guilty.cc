#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

struct Symbol {
  std::string name;
  std::string type;
  int depth = 0;
};

class Scope {
 public:
  void Declare(Symbol s) { symbols_[s.name] = std::move(s); }
  std::optional<Symbol> Find(const std::string& name) const {
    auto it = symbols_.find(name);
    if (it == symbols_.end()) return std::nullopt;
    return it->second;
  }

 private:
  std::map<std::string, Symbol> symbols_;
};

class Parser {
 public:
  Parser() { scopes_.emplace_back(); }
  void Push() { scopes_.emplace_back(); }
  void Pop() { scopes_.pop_back(); }
  void Declare(const std::string& name, const std::string& type) {
    scopes_.back().Declare({name, type, static_cast<int>(scopes_.size())});
  }

  std::string ResolveType(const std::string& expr) const {
    const auto dot = expr.find('.');
    const Symbol& base = Lookup(expr.substr(0, dot));
    std::string type = base.type;
    if (dot != std::string::npos) type += "::" + expr.substr(dot + 1);
    return type + "@" + std::to_string(base.depth);
  }

 private:
  const Symbol& Lookup(const std::string& name) const {
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
      if (auto hit = scope->Find(name)) {
        return *hit;
      }
    }
    throw std::runtime_error("undeclared identifier: " + name);
  }

  std::vector<Scope> scopes_;
};
