#ifndef GEOLAYER_PYTHON_HANDLE_TABLE_HPP
#define GEOLAYER_PYTHON_HANDLE_TABLE_HPP

#include <map>
#include <memory>

/// Base of proxies that hand out proxies of their parts: native part -> proxy.
template <typename Native, typename Proxy>
class handle_table {
public:
    void untrack(Native* native, const Proxy* proxy)
    {
        auto found = table_.find(native);
        if (found != table_.end() && found->second == proxy)
            table_.erase(found);
    }

protected:
    ~handle_table() = default;

    std::shared_ptr<Proxy> track(Native* native, std::shared_ptr<Proxy> proxy)
    {
        const auto slot = table_.insert({native, proxy.get()});
        if (!slot.second) {
            slot.first->second->detach();
            slot.first->second = proxy.get();
        }
        return proxy;
    }

    void detach_all()
    {
        for (auto& entry : table_)
            entry.second->detach();
        table_.clear();
    }

private:
    std::map<Native*, Proxy*> table_;
};

#endif
