#include <cctype>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

class Expr {
 public:
  virtual ~Expr() = default;
};

class Name : public Expr {
 public:
  explicit Name(std::string text) : text_(std::move(text)) {}

 private:
  std::string text_;
};

class Call : public Expr {
 public:
  Call(std::string callee, std::vector<Expr*> arguments)
      : callee_(std::move(callee)), arguments_(std::move(arguments)) {}
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  ~Call() override {
    for (Expr* argument : arguments_) delete argument;
  }

 private:
  std::string callee_;
  std::vector<Expr*> arguments_;
};

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  std::unique_ptr<Expr> ParseExpr() {
    std::string word;
    while (at_ < text_.size() && std::isalnum(static_cast<unsigned char>(text_[at_]))) {
      word.push_back(text_[at_++]);
    }
    if (word.empty()) return nullptr;
    if (Accept('(')) return ParseCall(std::move(word));
    return std::make_unique<Name>(std::move(word));
  }

 private:
  bool Accept(char c) {
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  std::unique_ptr<Expr> ParseCall(std::string callee) {
    std::vector<Expr*> arguments;
    while (!Accept(')')) {
      if (!arguments.empty()) Accept(',');
      std::unique_ptr<Expr> argument = ParseExpr();
      if (!argument) {
        for (Expr* parsed : arguments) delete parsed;
        return nullptr;
      }
      arguments.push_back(argument.get());
      argument.release();
    }
    return std::make_unique<Call>(std::move(callee), std::move(arguments));
  }

  std::string_view text_;
  std::size_t at_ = 0;
};
