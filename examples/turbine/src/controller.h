#pragma once

#include "status.h"
#include "turbine.h"

namespace turbine {

/// The electrical grid; any call can fail.
class Grid {
 public:
  Status Connect(int port);
  Status Disconnect(int port);
  Status Synchronise(double frequency);
};

class Controller {
 public:
  Controller(Grid* grid, Turbine* turbine, int port) : grid_(grid), turbine_(turbine), port_(port) {}
  ~Controller();

  Status Start(double frequency);
  Status Attach();
  Status Calibrate();

 private:
  Grid* grid_;
  Turbine* turbine_;
  int port_;
  bool running_ = false;
  bool attached_ = false;
  bool calibrated_ = false;
};

/// Holds a port for as long as it lives.
class PortLease {
 public:
  PortLease(Grid* grid, int port) : grid_(grid), port_(port) {}
  ~PortLease();

 private:
  Grid* grid_;
  int port_;
};

}  // namespace turbine
