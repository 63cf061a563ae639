#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

extern "C" {
struct prn_device;
struct prn_tray;
prn_device *prn_open(const char *uri);
void prn_close(prn_device *device); /* also frees the trays of the device */
prn_tray *prn_find_tray(prn_device *device, const char *name);
int prn_tray_sheets(const prn_tray *tray);
int prn_tray_feed(prn_tray *tray, int sheets);
}

namespace printing {

class Tray {
 public:
  explicit Tray(prn_tray *native) : native_(native) {}

  int sheets() const { return prn_tray_sheets(require()); }
  bool feed(int count) { return prn_tray_feed(require(), count) == 0; }
  void detach() { native_ = nullptr; }

 private:
  prn_tray *require() const {
    if (native_ == nullptr) throw std::runtime_error("the printer was closed");
    return native_;
  }

  prn_tray *native_;
};

class Printer {
 public:
  explicit Printer(std::string uri) : uri_(std::move(uri)) { connect(); }
  Printer(const Printer &) = delete;
  Printer &operator=(const Printer &) = delete;
  ~Printer() { close(); }

  std::shared_ptr<Tray> tray(const char *name) {
    if (device_ == nullptr) throw std::runtime_error("the printer was closed");
    prn_tray *native = prn_find_tray(device_, name);
    if (native == nullptr) throw std::out_of_range(name);
    auto tray = std::make_shared<Tray>(native);
    trays_.push_back(tray);
    return tray;
  }

  void close() {
    detach_trays();
    if (device_ != nullptr) prn_close(std::exchange(device_, nullptr));
  }

  void power_cycle() {
    detach_trays();
    if (prn_device *device = std::exchange(device_, nullptr)) prn_close(device);
    connect();
  }

 private:
  void connect() {
    device_ = prn_open(uri_.c_str());
    if (device_ == nullptr) throw std::runtime_error("cannot reach " + uri_);
  }

  void detach_trays() {
    for (auto &weak : trays_) {
      if (auto tray = weak.lock()) tray->detach();
    }
    trays_.clear();
  }

  std::string uri_;
  prn_device *device_ = nullptr;
  std::vector<std::weak_ptr<Tray>> trays_;
};

}  // namespace printing
