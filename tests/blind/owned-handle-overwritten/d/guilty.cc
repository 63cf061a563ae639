// A captured HIP graph that advances a fluid grid by one tick.
#include <stdexcept>
#include <string>
#include <utility>

#include <hip/hip_runtime.h>

namespace fluid {

inline void check(hipError_t status, const char *what) {
    if (status != hipSuccess)
        throw std::runtime_error(std::string(what) + ": " + hipGetErrorString(status));
}

class FluidPlan {
public:
    FluidPlan() = default;

    FluidPlan(hipGraph_t graph, int cells) : cells_(cells) {
        check(hipStreamCreate(&stream_), "stream");
        hipError_t status = hipGraphInstantiate(&exec_, graph, nullptr, nullptr, 0);
        if (status != hipSuccess) {
            reset();
            check(status, "instantiate");
        }
    }

    FluidPlan(FluidPlan &&other) noexcept
        : exec_(std::exchange(other.exec_, nullptr)),
          stream_(std::exchange(other.stream_, nullptr)),
          cells_(std::exchange(other.cells_, 0)) {}

    FluidPlan &operator=(FluidPlan &&other) noexcept {
        if (this != &other) {
            exec_ = std::exchange(other.exec_, nullptr);
            stream_ = std::exchange(other.stream_, nullptr);
            cells_ = std::exchange(other.cells_, 0);
        }
        return *this;
    }

    ~FluidPlan() { reset(); }

    void tick() {
        check(hipGraphLaunch(exec_, stream_), "launch");
        check(hipStreamSynchronize(stream_), "tick");
    }

    explicit operator bool() const { return exec_ != nullptr; }
    int cells() const { return cells_; }

private:
    void reset() noexcept {
        if (exec_ != nullptr)
            (void)hipGraphExecDestroy(exec_);
        if (stream_ != nullptr)
            (void)hipStreamDestroy(stream_);
        exec_ = nullptr;
        stream_ = nullptr;
    }

    hipGraphExec_t exec_ = nullptr;
    hipStream_t stream_ = nullptr;
    int cells_ = 0;
};

// Called whenever the user resizes the grid.
void replan(FluidPlan &plan, hipGraph_t graph, int cells) {
    if (plan && plan.cells() == cells)
        return;
    plan = FluidPlan(graph, cells);
}

}  // namespace fluid
