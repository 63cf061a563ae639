// Mixes audio stems on the GPU: upload, mix and download run on one stream.
#include <cstddef>
#include <initializer_list>
#include <stdexcept>
#include <string>

#include <cuda_runtime.h>

namespace studio {

inline void check(cudaError_t status, const char *what) {
    if (status != cudaSuccess)
        throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(status));
}

void launch_mix(const float *stems, float *bus, std::size_t frames, int stem_count, cudaStream_t stream);

class Mixer {
public:
    Mixer(std::size_t frames, int stem_count) : frames_(frames), stem_count_(stem_count) {
        check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream");
        for (cudaEvent_t *event : {&upload_done_, &mix_done_, &download_done_})
            check(cudaEventCreateWithFlags(event, cudaEventDisableTiming), "event");
        check(cudaMalloc(reinterpret_cast<void **>(&stems_), stem_bytes()), "stems");
        check(cudaMalloc(reinterpret_cast<void **>(&bus_), bus_bytes()), "bus");
    }

    Mixer(const Mixer &) = delete;
    Mixer &operator=(const Mixer &) = delete;

    ~Mixer() {
        cudaStreamSynchronize(stream_);
        for (cudaEvent_t event : {upload_done_, mix_done_, download_done_})
            cudaEventDestroy(event);
        for (float *buffer : {stems_, bus_})
            cudaFree(buffer);
        cudaStreamDestroy(stream_);
    }

    void run(const float *stems, float *bus) {
        check(cudaMemcpyAsync(stems_, stems, stem_bytes(), cudaMemcpyHostToDevice, stream_), "upload");
        check(cudaEventRecord(upload_done_, stream_), "upload event");
        launch_mix(stems_, bus_, frames_, stem_count_, stream_);
        check(cudaEventRecord(mix_done_, stream_), "mix event");
        check(cudaMemcpyAsync(bus, bus_, bus_bytes(), cudaMemcpyDeviceToHost, stream_), "download");
        check(cudaEventRecord(download_done_, stream_), "download event");
    }

    void wait() { check(cudaEventSynchronize(download_done_), "wait"); }

private:
    std::size_t bus_bytes() const { return frames_ * 2 * sizeof(float); }
    std::size_t stem_bytes() const { return bus_bytes() * static_cast<std::size_t>(stem_count_); }

    std::size_t frames_;
    int stem_count_;
    cudaStream_t stream_ = nullptr;
    cudaEvent_t upload_done_ = nullptr;
    cudaEvent_t mix_done_ = nullptr;
    cudaEvent_t download_done_ = nullptr;
    float *stems_ = nullptr;
    float *bus_ = nullptr;
};

}  // namespace studio
