// Queue of URLs to fetch, kept apart by host.
#include <deque>
#include <map>
#include <string>
#include <utility>

#include "crawler/robots.h"

namespace crawler {

class Frontier {
public:
    void addHost(const std::string &host, std::string robotsTxt)
    {
        policies_.insert_or_assign(host, RobotsPolicy("seedbot", std::move(robotsTxt)));
    }

    bool push(const std::string &host, std::string path)
    {
        const auto it = policies_.find(host);
        if (it == policies_.end() || !it->second.allowed(path))
            return false;
        queue_.emplace_back(host, std::move(path));
        return true;
    }

private:
    std::map<std::string, RobotsPolicy> policies_;
    std::deque<std::pair<std::string, std::string>> queue_;
};

}  // namespace crawler
