#include <cstdio>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace scanner
{

enum class Result
{
    Success,
    Busy,
    Gone
};

const char* toString(Result r)
{
    switch (r)
    {
    case Result::Success: return "success";
    case Result::Busy: return "busy";
    case Result::Gone: return "gone";
    }
    return "?";
}

class UsbBackend
{
public:
    virtual ~UsbBackend() = default;
    virtual Result claim(int bus, int interface) = 0;
    virtual Result release(int bus, int interface) = 0;
    virtual Result bulk(int bus, std::vector<unsigned char>& data) = 0;
};

/** Interfaces which could not be released; the hotplug thread tries them again. */
class RetryQueue
{
public:
    void push(int bus, int interface) { items_.push_back({bus, interface}); }

    void run(UsbBackend& usb)
    {
        std::deque<Item> later;
        for (const Item& item : items_)
            if (usb.release(item.bus, item.interface) == Result::Busy)
                later.push_back(item);
        items_.swap(later);
    }

    bool empty() const { return items_.empty(); }

private:
    struct Item
    {
        int bus;
        int interface;
    };
    std::deque<Item> items_;
};

class ScanSession
{
public:
    ScanSession(UsbBackend& usb, RetryQueue& retry, int bus, int interface)
        : usb_(usb), retry_(retry), bus_(bus), interface_(interface)
    {
        const Result r = usb_.claim(bus_, interface_);
        if (r != Result::Success)
            throw std::runtime_error(std::string("claim: ") + toString(r));
    }

    ScanSession(const ScanSession&) = delete;
    ScanSession& operator=(const ScanSession&) = delete;

    ~ScanSession()
    {
        static_cast<void>(giveBack());
    }

    std::vector<unsigned char> readLine(std::size_t width)
    {
        std::vector<unsigned char> line(width);
        const Result r = usb_.bulk(bus_, line);
        if (r != Result::Success)
            throw std::runtime_error(std::string("bulk: ") + toString(r));
        ++lines_;
        return line;
    }

    unsigned lines() const { return lines_; }

    /** Hands the session's interface to another process early. */
    bool handOver()
    {
        const Result r = giveBack();
        if (r == Result::Busy)
            retry_.push(bus_, interface_);
        return r == Result::Success;
    }

private:
    Result giveBack()
    {
        if (released_)
            return Result::Success;
        released_ = true;
        return usb_.release(bus_, interface_);
    }

    UsbBackend& usb_;
    RetryQueue& retry_;
    int bus_;
    int interface_;
    unsigned lines_ = 0;
    bool released_ = false;
};

} // namespace scanner
