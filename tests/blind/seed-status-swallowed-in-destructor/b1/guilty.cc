// NOR flash: temporary lifting of write protection around an update.
#include <array>
#include <cstddef>
#include <cstdint>

namespace fw {

enum class FlashResult : int8_t { Done = 0, Busy = -1, Timeout = -2, WriteError = -3 };

struct SpiPort {
  int (*transfer)(const uint8_t* tx, uint8_t* rx, size_t n);
};

class NorFlash {
 public:
  static constexpr size_t kSectors = 64;

  explicit NorFlash(SpiPort port) : port_(port) {}

  // Writes the protection bit of one sector.
  FlashResult setProtect(size_t sector, bool on) {
    if (FlashResult r = waitIdle(); r != FlashResult::Done) return r;
    const uint8_t cmd[3] = {0x39, static_cast<uint8_t>(sector), static_cast<uint8_t>(on)};
    uint8_t rx[3];
    return port_.transfer(cmd, rx, sizeof cmd) == 0 ? FlashResult::Done : FlashResult::WriteError;
  }

  // Takes and gives back a RAM-side hold that keeps the wear leveller away
  // from the sector; both return the number of holds now in force.
  unsigned hold(size_t sector) { return ++holds_[sector]; }
  unsigned release(size_t sector) { return --holds_[sector]; }

  FlashResult program(size_t sector, const uint8_t* data, size_t n) {
    for (size_t i = 0; i < n; ++i) {
      if (FlashResult r = waitIdle(); r != FlashResult::Done) return r;
      const uint8_t cmd[4] = {0x02, static_cast<uint8_t>(sector), static_cast<uint8_t>(i), data[i]};
      uint8_t rx[4];
      if (port_.transfer(cmd, rx, sizeof cmd) != 0) return FlashResult::WriteError;
    }
    return FlashResult::Done;
  }

 private:
  FlashResult waitIdle() {
    for (int spin = 0; spin < 10000; ++spin) {
      const uint8_t cmd[2] = {0x05, 0};
      uint8_t rx[2];
      if (port_.transfer(cmd, rx, sizeof cmd) != 0) return FlashResult::WriteError;
      if ((rx[1] & 1u) == 0) return FlashResult::Done;
    }
    return FlashResult::Timeout;
  }

  SpiPort port_;
  std::array<unsigned, kSectors> holds_{};
};

class UnprotectedSector {
 public:
  UnprotectedSector(NorFlash& flash, size_t sector)
      : flash_(flash), sector_(sector), result_(flash.setProtect(sector, false)) {}
  UnprotectedSector(const UnprotectedSector&) = delete;
  UnprotectedSector& operator=(const UnprotectedSector&) = delete;
  ~UnprotectedSector() { static_cast<void>(flash_.setProtect(sector_, true)); }

  FlashResult result() const { return result_; }

 private:
  NorFlash& flash_;
  size_t sector_;
  FlashResult result_;
};

FlashResult updateBootRecord(NorFlash& flash, const uint8_t* rec, size_t n) {
  UnprotectedSector guard(flash, 0);
  if (guard.result() != FlashResult::Done) return guard.result();
  return flash.program(0, rec, n);
}

}  // namespace fw
