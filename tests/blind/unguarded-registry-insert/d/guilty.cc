// Hyphenation patterns by language, shared by all typesetters of a document.
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace hyphen {

class Hyphenator {
public:
    Hyphenator(std::string language, std::vector<std::string> patterns)
        : language_(std::move(language)), patterns_(std::move(patterns)) {}

    std::vector<int> breaks(const std::string &word) const;
    const std::string &language() const { return language_; }

private:
    std::string language_;
    std::vector<std::string> patterns_;
};

class PatternLibrary {
public:
    static PatternLibrary &shared() {
        static PatternLibrary library;
        return library;
    }

    // The library owns the hyphenator; the pointer is good for the whole run.
    const Hyphenator *add(const std::string &language, std::vector<std::string> patterns) {
        auto made = std::make_unique<Hyphenator>(language, std::move(patterns));
        const Hyphenator *raw = made.get();
        hyphenators_.insert_or_assign(language, std::move(made));
        return raw;
    }

    void alias(const std::string &name, const std::string &language) {
        if (aliases_.count(name) != 0)
            throw std::invalid_argument("alias is taken: " + name);
        aliases_.emplace(name, language);
    }

    const Hyphenator *find(const std::string &name) const {
        auto alias = aliases_.find(name);
        auto entry = hyphenators_.find(alias == aliases_.end() ? name : alias->second);
        return entry == hyphenators_.end() ? nullptr : entry->second.get();
    }

private:
    std::map<std::string, std::unique_ptr<Hyphenator>> hyphenators_;
    std::unordered_map<std::string, std::string> aliases_;
};

class Typesetter {
public:
    explicit Typesetter(const std::string &language)
        : hyphenator_(PatternLibrary::shared().find(language)) {}

    std::vector<int> breaks(const std::string &word) const {
        return hyphenator_ == nullptr ? std::vector<int>() : hyphenator_->breaks(word);
    }

private:
    const Hyphenator *hyphenator_;
};

}  // namespace hyphen
