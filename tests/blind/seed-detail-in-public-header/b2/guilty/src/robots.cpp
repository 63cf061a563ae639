#include "crawler/robots.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace crawler {

static std::string trimmed(std::string_view s)
{
    while (!s.empty() && std::isspace(static_cast<unsigned char>(s.front())))
        s.remove_prefix(1);
    while (!s.empty() && std::isspace(static_cast<unsigned char>(s.back())))
        s.remove_suffix(1);
    return std::string(s);
}

bool RobotsLexer::next(std::string *key, std::string *value)
{
    while (pos_ < text_.size()) {
        const std::size_t end = std::min(text_.find('\n', pos_), text_.size());
        std::string_view line = std::string_view(text_).substr(pos_, end - pos_);
        pos_ = end + 1;
        line = line.substr(0, line.find('#'));
        const std::size_t colon = line.find(':');
        if (colon == std::string_view::npos)
            continue;
        *key = trimmed(line.substr(0, colon));
        std::transform(key->begin(), key->end(), key->begin(),
                       [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        *value = trimmed(line.substr(colon + 1));
        return true;
    }
    return false;
}

RobotsPolicy::RobotsPolicy(std::string agent, std::string text)
    : agent_(std::move(agent)), lexer_(std::make_unique<RobotsLexer>(std::move(text)))
{
}

RobotsPolicy::~RobotsPolicy() = default;
RobotsPolicy::RobotsPolicy(RobotsPolicy &&) noexcept = default;
RobotsPolicy &RobotsPolicy::operator=(RobotsPolicy &&) noexcept = default;

void RobotsPolicy::parse()
{
    bool ours = false;
    std::string key, value;
    while (lexer_->next(&key, &value)) {
        if (key == "user-agent")
            ours = value == "*" || value == agent_;
        else if (ours && key == "disallow" && !value.empty())
            disallowed_.push_back(value);
    }
    lexer_.reset();
}

bool RobotsPolicy::allowed(std::string_view path)
{
    if (lexer_)
        parse();
    return std::none_of(disallowed_.begin(), disallowed_.end(),
                        [&](const std::string &prefix) { return path.starts_with(prefix); });
}

}  // namespace crawler
