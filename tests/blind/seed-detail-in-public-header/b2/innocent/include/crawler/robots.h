#ifndef CRAWLER_ROBOTS_H
#define CRAWLER_ROBOTS_H

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace crawler {

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
    class Lexer;

    void parse();

    std::string agent_;
    std::unique_ptr<Lexer> lexer_;
    std::vector<std::string> disallowed_;
};

}  // namespace crawler

#endif
