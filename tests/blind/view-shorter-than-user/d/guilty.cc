#include <cctype>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace lexicon {

struct Entry {
    std::string headword;
    std::string folded;
    std::string gloss;
};

class Dictionary {
public:
    void add(std::string headword, std::string gloss) {
        std::string folded = fold(headword);
        Entry &entry = entries_.emplace_back();
        entry.headword = std::move(headword);
        entry.gloss = std::move(gloss);
        entry.folded = folded;
        by_word_[folded].push_back(&entry);
    }

    std::optional<std::string_view> gloss(std::string_view word) const {
        const std::string key = fold(word);
        const auto found = by_word_.find(key);
        if (found == by_word_.end())
            return std::nullopt;
        for (const Entry *entry : found->second)
            if (entry->headword == word)
                return std::string_view(entry->gloss);
        return std::string_view(found->second.front()->gloss);
    }

    std::size_t homographs() const {
        std::size_t count = 0;
        for (const auto &[word, entries] : by_word_)
            count += entries.size() > 1;
        return count;
    }

private:
    static std::string fold(std::string_view word) {
        std::string out;
        out.reserve(word.size());
        for (unsigned char c : word)
            if (c != '-' && c != '\'')
                out.push_back(static_cast<char>(std::tolower(c)));
        return out;
    }

    // Entries never move: the index looks into them.
    std::deque<Entry> entries_;
    std::unordered_map<std::string_view, std::vector<const Entry *>> by_word_;
};

}  // namespace lexicon
