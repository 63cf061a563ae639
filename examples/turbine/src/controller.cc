#include "controller.h"

#include <iostream>

namespace turbine {

// When the grid refuses, `running_` stays true: the next call believes it and does nothing.
Status Controller::Start(double frequency) {
  if (running_) return OkStatus();
  running_ = true;
  turbine_->rotor().set_speed(frequency / 3);
  TURBINE_TRY(grid_->Synchronise(frequency));
  return OkStatus();
}

// Innocent: the flag is set when nothing can fail any more.
Status Controller::Attach() {
  if (attached_) return OkStatus();
  TURBINE_TRY(grid_->Connect(port_));
  attached_ = true;
  return OkStatus();
}

// Innocent: the flag is set early, so that a callback of the grid sees it, and taken back on failure.
Status Controller::Calibrate() {
  if (calibrated_) return OkStatus();
  calibrated_ = true;
  Status status = grid_->Synchronise(50.0);
  if (!status.ok()) {
    calibrated_ = false;
    return status;
  }
  return OkStatus();
}

// Nobody learns that the port is still taken.
Controller::~Controller() {
  if (attached_) {
    static_cast<void>(grid_->Disconnect(port_));
  }
}

// Innocent: a destructor cannot return the status, but it can say it.
PortLease::~PortLease() {
  Status status = grid_->Disconnect(port_);
  if (!status.ok()) {
    std::cerr << "port " << port_ << " is still taken: " << status.message() << '\n';
  }
}

}  // namespace turbine
