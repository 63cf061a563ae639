#include <deque>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include <nvrtc.h>

namespace fluid {

class Program {
public:
    Program(const std::string &source, const std::string &name) {
        const nvrtcResult rc =
            nvrtcCreateProgram(&program_, source.c_str(), name.c_str(), 0, nullptr, nullptr);
        if (rc != NVRTC_SUCCESS)
            throw std::runtime_error(nvrtcGetErrorString(rc));
    }
    Program(const Program &) = delete;
    Program &operator=(const Program &) = delete;
    ~Program() { (void)nvrtcDestroyProgram(&program_); }

    nvrtcProgram get() const { return program_; }

private:
    nvrtcProgram program_ = nullptr;
};

// Values of the simulation that are fixed when a kernel is built: cell counts,
// time step, number of smoothing rounds.
using Constants = std::map<std::string, double>;

std::string build_solver(const std::string &source, const Constants &constants, bool fast) {
    Program program(source, "solver.cu");

    std::deque<std::string> text;
    std::vector<const char *> options{"--std=c++17"};
    if (fast)
        options.push_back("--use_fast_math");
    text.push_back("--device-as-default-execution-space");
    options.push_back(text.back().c_str());
    for (const auto &[name, value] : constants) {
        std::string define = "-D" + name + "=" + std::to_string(value);
        options.push_back(define.c_str());
    }

    nvrtcResult rc = nvrtcCompileProgram(program.get(), static_cast<int>(options.size()),
                                         options.data());
    if (rc != NVRTC_SUCCESS)
        throw std::runtime_error(nvrtcGetErrorString(rc));

    std::size_t size = 0;
    rc = nvrtcGetPTXSize(program.get(), &size);
    if (rc != NVRTC_SUCCESS)
        throw std::runtime_error(nvrtcGetErrorString(rc));
    std::string ptx(size, '\0');
    rc = nvrtcGetPTX(program.get(), ptx.data());
    if (rc != NVRTC_SUCCESS)
        throw std::runtime_error(nvrtcGetErrorString(rc));
    return ptx;
}

}  // namespace fluid
