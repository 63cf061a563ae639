// Launches the night-photography denoiser through the driver API.
#include <cuda.h>

#include <stdexcept>
#include <string>

namespace camera {

struct Exposure {
  float black;
  float white;
};

struct Plane {
  CUdeviceptr pixels;
  int width;
  int height;
};

inline void check(CUresult status, const char *what) {
  if (status == CUDA_SUCCESS) return;
  const char *text = nullptr;
  if (cuGetErrorString(status, &text) != CUDA_SUCCESS) text = "unknown error";
  throw std::runtime_error(std::string(what) + ": " + text);
}

inline unsigned blocks(int extent, unsigned tile) {
  return (static_cast<unsigned>(extent) + tile - 1) / tile;
}

void launch_blur(CUfunction kernel, CUstream stream, Plane plane,
                 const Exposure &exposure, bool low_light) {
  constexpr unsigned kTile = 16;
  float black = exposure.black;
  void *params[4] = {&plane.pixels, &plane.width, &plane.height, &black};

  if (low_light) {
    float floor_value = exposure.black * 1.5f;
    if (floor_value > exposure.white) floor_value = exposure.white;
    params[3] = &floor_value;
  }

  check(cuLaunchKernel(kernel, blocks(plane.width, kTile), blocks(plane.height, kTile), 1,
                       kTile, kTile, 1, 0, stream, params, nullptr),
        "blur");
}

void launch_pair(CUfunction kernel, CUstream stream, const Plane &luma,
                 const Plane &chroma, const Exposure &exposure) {
  launch_blur(kernel, stream, luma, exposure, exposure.black > 0.02f);
  launch_blur(kernel, stream, chroma, exposure, false);
  check(cuStreamSynchronize(stream), "synchronize");
}

}  // namespace camera
