#pragma once

#include <stdexcept>
#include <string>

namespace netpy {

/* A native handle that somebody else may free; invalidate() is called then. */
template <class T>
class guarded {
public:
    bool is_valid() const { return valid_; }
    void invalidate() { valid_ = false; }
    bool refers_to(const T *handle) const { return handle_ == handle; }

protected:
    guarded(T *handle, const char *kind) : handle_(handle), kind_(kind) {}
    ~guarded() = default;
    guarded(const guarded &) = delete;

    void check_valid() const
    {
        if (!valid_)
            throw std::runtime_error(std::string(kind_) + " is closed");
    }

    T *handle() const { return handle_; }

private:
    T *handle_;
    const char *kind_;
    bool valid_ = true;
};

} // namespace netpy
