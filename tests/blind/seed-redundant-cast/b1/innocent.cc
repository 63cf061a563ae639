// Picks a parser for a fetched document.
#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace crawl {

struct Document {
  std::string url;
  std::string content_type;
  std::string body;
};

class Parser {
 public:
  explicit Parser(std::string type) : type_(std::move(type)) {}
  virtual ~Parser() = default;
  virtual std::vector<std::string> Links(const Document& doc) const = 0;
  const std::string& type() const { return type_; }

 private:
  std::string type_;
};

class HtmlParser : public Parser {
 public:
  HtmlParser(std::string type, bool follow_frames)
      : Parser(std::move(type)), follow_frames_(follow_frames) {}

  std::vector<std::string> Links(const Document& doc) const override {
    std::vector<std::string> links;
    Collect(doc.body, "href=\"", &links);
    if (follow_frames_) Collect(doc.body, "src=\"", &links);
    return links;
  }

  bool follow_frames() const { return follow_frames_; }

 private:
  static void Collect(std::string_view body, std::string_view attribute,
                      std::vector<std::string>* out) {
    size_t at = 0;
    while ((at = body.find(attribute, at)) != std::string_view::npos) {
      at += attribute.size();
      const size_t end = body.find('"', at);
      if (end == std::string_view::npos) return;
      out->emplace_back(body.substr(at, end - at));
    }
  }

  bool follow_frames_;
};

template <typename T>
class Pool {
 public:
  void Add(std::unique_ptr<T> item) { items_.push_back(std::move(item)); }
  size_t size() const { return items_.size(); }

 protected:
  std::vector<std::unique_ptr<T>> items_;
};

class HtmlParsers : public Pool<Parser> {
 public:
  HtmlParsers() {
    Add(std::make_unique<HtmlParser>("text/html", true));
    Add(std::make_unique<HtmlParser>("application/xhtml+xml", false));
  }

  HtmlParser* Choose(const Document& doc, bool want_frames) const {
    HtmlParser* best = nullptr;
    auto consider = [&](const auto& slot) {
      if (doc.content_type.rfind(slot->type(), 0) != 0) return;
      auto* candidate = static_cast<HtmlParser*>(slot.get());
      if (best == nullptr || candidate->follow_frames() == want_frames) {
        best = candidate;
      }
    };
    std::for_each(items_.begin(), items_.end(), consider);
    return best;
  }
};

std::vector<std::string> LinksOf(const HtmlParsers& parsers, const Document& doc) {
  const HtmlParser* parser = parsers.Choose(doc, /*want_frames=*/true);
  return parser == nullptr ? std::vector<std::string>{} : parser->Links(doc);
}

}  // namespace crawl
