#pragma once

#include <algorithm>
#include <cmath>

namespace armplan {

// Trapezoid of velocity over time that covers a distance of one joint.
class RampProfile
{
public:
    RampProfile(double distance, double velocity, double acceleration)
        : m_distance(std::fabs(distance))
        , m_acceleration(acceleration)
        , m_ramp(std::min(velocity / acceleration, std::sqrt(m_distance / acceleration)))
    {
        const double peak = m_ramp * acceleration;
        m_duration = peak > 0.0 ? m_distance / peak + m_ramp : 0.0;
    }

    double duration() const { return m_duration; }

    // Fraction of the distance that is done after a fraction of the duration.
    double fractionAt(double phase) const
    {
        if (m_distance == 0.0)
            return 1.0;
        const double t = std::clamp(phase, 0.0, 1.0) * m_duration;
        const double rest = m_duration - t;
        if (t < m_ramp)
            return 0.5 * m_acceleration * t * t / m_distance;
        if (rest < m_ramp)
            return 1.0 - 0.5 * m_acceleration * rest * rest / m_distance;
        return m_acceleration * m_ramp * (t - 0.5 * m_ramp) / m_distance;
    }

private:
    double m_distance;
    double m_acceleration;
    double m_ramp;
    double m_duration;
};

} // namespace armplan
