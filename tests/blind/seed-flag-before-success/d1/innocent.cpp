#include <array>
#include <chrono>
#include <cmath>
#include <stdexcept>
#include <string>
#include <thread>

namespace arm {

constexpr int joint_count = 6;
using joint_vector = std::array<double, joint_count>;

class bus_error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

class limit_error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

// Thin wrapper over the CAN bus. Calls that send a frame may throw bus_error;
// the end stops are wired to local inputs.
class joint_bus {
public:
    virtual ~joint_bus() = default;
    virtual void set_velocity(int joint, double rad_per_s) = 0;
    virtual bool end_stop(int joint) noexcept = 0;
    virtual double encoder(int joint) = 0;
    virtual void set_target(int joint, double encoder_position) = 0;
};

// Used by the motion thread only.
class arm_controller {
public:
    arm_controller(joint_bus& bus, joint_vector lower, joint_vector upper)
        : bus_(bus), lower_(lower), upper_(upper) {}

    void move_to(const joint_vector& target) {
        check_limits(target);
        find_reference();
        for (int j = 0; j < joint_count; ++j)
            bus_.set_target(j, target[j] - lower_[j] + zero_[j]);
    }

    joint_vector position() {
        find_reference();
        joint_vector out{};
        for (int j = 0; j < joint_count; ++j)
            out[j] = bus_.encoder(j) - zero_[j] + lower_[j];
        return out;
    }

private:
    void check_limits(const joint_vector& target) const {
        for (int j = 0; j < joint_count; ++j) {
            if (!std::isfinite(target[j]) || target[j] < lower_[j] || target[j] > upper_[j])
                throw limit_error("joint " + std::to_string(j) + " out of range");
        }
    }

    // Drives each joint to its end stop the first time the arm is used.
    void find_reference() {
        if (referenced_)
            return;
        joint_vector found{};
        for (int j = 0; j < joint_count; ++j)
            found[j] = seek_end_stop(j);
        zero_ = found;
        referenced_ = true;
    }

    double seek_end_stop(int joint) {
        using clock = std::chrono::steady_clock;
        const auto deadline = clock::now() + std::chrono::seconds(20);
        bus_.set_velocity(joint, -0.05);
        while (!bus_.end_stop(joint)) {
            if (clock::now() > deadline) {
                bus_.set_velocity(joint, 0.0);
                throw bus_error("joint " + std::to_string(joint) + " never met its end stop");
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
        }
        bus_.set_velocity(joint, 0.0);
        return bus_.encoder(joint);
    }

    joint_bus& bus_;
    const joint_vector lower_;
    const joint_vector upper_;
    joint_vector zero_{};
    bool referenced_ = false;
};

// One request from the operator's panel; a bus hiccup is reported and the
// operator presses the button again.
std::string handle_move_request(arm_controller& controller, const joint_vector& target) {
    try {
        controller.move_to(target);
        return "moving";
    } catch (const limit_error& e) {
        return std::string("rejected: ") + e.what();
    } catch (const bus_error& e) {
        return std::string("try again: ") + e.what();
    }
}

}  // namespace arm
