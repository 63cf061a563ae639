#ifndef CRAWLER_ROBOTS_H
#define CRAWLER_ROBOTS_H

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace crawler {

// Splits robots.txt into lower-case keys and trimmed values.
class RobotsLexer {
public:
    explicit RobotsLexer(std::string text) : text_(std::move(text)) {}

    bool next(std::string *key, std::string *value);

private:
    std::string text_;
    std::size_t pos_ = 0;
};

// Rules of one host for one user agent.
class RobotsPolicy {
public:
    RobotsPolicy(std::string agent, std::string text);
    ~RobotsPolicy();
    RobotsPolicy(RobotsPolicy &&) noexcept;
    RobotsPolicy &operator=(RobotsPolicy &&) noexcept;

    // Reads the file on first use.
    bool allowed(std::string_view path);

private:
    void parse();

    std::string agent_;
    std::unique_ptr<RobotsLexer> lexer_;
    std::vector<std::string> disallowed_;
};

}  // namespace crawler

#endif
