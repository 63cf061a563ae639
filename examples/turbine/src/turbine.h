#pragma once

#include <string>
#include <utility>
#include <vector>

namespace turbine {

class Blade {
 public:
  explicit Blade(double length) : length_(length) {}

  double length() const { return length_; }

 private:
  double length_;
};

class Rotor {
 public:
  double speed() const { return speed_; }
  void set_speed(double speed) { speed_ = speed; }

 private:
  double speed_ = 0.0;
};

class Nacelle {
 public:
  double tilt() const { return tilt_; }

 private:
  double tilt_ = 5.0;
};

class Turbine {
 public:
  explicit Turbine(std::string name) : name_(std::move(name)), blades_(3, Blade(40.0)) {}

  const std::string& name() const { return name_; }
  Rotor& rotor() { return rotor_; }
  Nacelle& nacelle() { return nacelle_; }
  std::vector<Blade>& blades() { return blades_; }

 private:
  std::string name_;
  Rotor rotor_;
  Nacelle nacelle_;
  std::vector<Blade> blades_;
};

/// Reads the blades of a turbine; does not own it.
class BladeView {
 public:
  explicit BladeView(Turbine& turbine) : turbine_(turbine) {}

  std::size_t size() const { return turbine_.blades().size(); }

 private:
  Turbine& turbine_;
};

/// What a turbine looked like once; owns all it says.
class Snapshot {
 public:
  explicit Snapshot(const Turbine& turbine) : name_(turbine.name()) {}

  const std::string& name() const { return name_; }

 private:
  std::string name_;
};

}  // namespace turbine
