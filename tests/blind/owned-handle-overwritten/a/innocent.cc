#include <SDL2/SDL.h>

#include <stdexcept>
#include <string>

class Sprite {
 public:
  Sprite() = default;
  Sprite(const Sprite&) = delete;
  Sprite& operator=(const Sprite&) = delete;
  ~Sprite() {
    if (surface_ != nullptr) SDL_FreeSurface(surface_);
  }

  void SetImage(const std::string& path, Uint32 format) {
    SDL_Surface* raw = SDL_LoadBMP(path.c_str());
    if (raw == nullptr) throw std::runtime_error(path + ": " + SDL_GetError());
    SDL_Surface* loaded = SDL_ConvertSurfaceFormat(raw, format, 0);
    SDL_FreeSurface(raw);
    if (loaded == nullptr) throw std::runtime_error(path + ": " + SDL_GetError());
    if (surface_ != nullptr) SDL_FreeSurface(surface_);
    surface_ = loaded;
    source_ = SDL_Rect{0, 0, surface_->w, surface_->h};
  }

  void Crop(int x, int y, int w, int h) { source_ = SDL_Rect{x, y, w, h}; }
  void MoveTo(int x, int y) {
    x_ = x;
    y_ = y;
  }

  bool Draw(SDL_Surface* target) const {
    if (surface_ == nullptr) return false;
    SDL_Rect from = source_;
    SDL_Rect to{x_, y_, from.w, from.h};
    return SDL_BlitSurface(surface_, &from, target, &to) == 0;
  }

 private:
  SDL_Surface* surface_ = nullptr;
  SDL_Rect source_{0, 0, 0, 0};
  int x_ = 0;
  int y_ = 0;
};
