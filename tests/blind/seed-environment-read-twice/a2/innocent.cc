// Synthesizer: render engine and oscilloscope widget.
#include <QPaintEvent>
#include <QPainter>
#include <QPointF>
#include <QVector>
#include <QWidget>
#include <QtGlobal>

#include <cmath>

struct SynthSettings {
    int bufferFrames = 512;

    static SynthSettings fromEnvironment()
    {
        SynthSettings s;
        bool ok = false;
        const int frames = qEnvironmentVariableIntValue("SYNTH_BUFFER", &ok);
        if (ok && frames > 0)
            s.bufferFrames = frames;
        return s;
    }
};

class SynthEngine : public QObject {
public:
    explicit SynthEngine(const SynthSettings &settings, QObject *parent = nullptr);

    void setFrequency(double hz) { m_step = 2.0 * M_PI * hz / m_sampleRate; }
    const QVector<float> &render();

private:
    double m_sampleRate = 48000.0;
    double m_phase = 0.0;
    double m_step = 0.0;
    QVector<float> m_buffer;
};

SynthEngine::SynthEngine(const SynthSettings &settings, QObject *parent) : QObject(parent)
{
    m_buffer.resize(settings.bufferFrames);
    setFrequency(440.0);
}

const QVector<float> &SynthEngine::render()
{
    for (float &sample : m_buffer) {
        sample = static_cast<float>(std::sin(m_phase));
        m_phase = std::fmod(m_phase + m_step, 2.0 * M_PI);
    }
    return m_buffer;
}

class ScopeView : public QWidget {
public:
    explicit ScopeView(const SynthSettings &settings, QWidget *parent = nullptr);

    void push(const QVector<float> &samples);

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    int m_window;
    QVector<float> m_trace;
};

ScopeView::ScopeView(const SynthSettings &settings, QWidget *parent)
    : QWidget(parent), m_window(2 * settings.bufferFrames)
{
    m_trace.reserve(m_window);
    setMinimumSize(320, 120);
}

void ScopeView::push(const QVector<float> &samples)
{
    m_trace += samples;
    if (m_trace.size() > m_window)
        m_trace.remove(0, m_trace.size() - m_window);
    update();
}

void ScopeView::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    const double dx = double(width()) / qMax(1, m_window - 1);
    const double mid = height() / 2.0;
    for (int i = 1; i < m_trace.size(); ++i) {
        painter.drawLine(QPointF((i - 1) * dx, mid - m_trace[i - 1] * mid),
                         QPointF(i * dx, mid - m_trace[i] * mid));
    }
}
