// Synthesizer: render engine and oscilloscope widget.
#include <QByteArray>
#include <QPaintEvent>
#include <QPainter>
#include <QPointF>
#include <QVector>
#include <QWidget>
#include <QtGlobal>

#include <cmath>

class SynthEngine : public QObject {
public:
    explicit SynthEngine(QObject *parent = nullptr);

    void setFrequency(double hz) { m_step = 2.0 * M_PI * hz / m_sampleRate; }
    const QVector<float> &render();

private:
    double m_sampleRate = 48000.0;
    double m_phase = 0.0;
    double m_step = 0.0;
    QVector<float> m_buffer;
};

SynthEngine::SynthEngine(QObject *parent) : QObject(parent)
{
    bool ok = false;
    const int frames = qEnvironmentVariableIntValue("SYNTH_BUFFER", &ok);
    m_buffer.resize(ok && frames > 0 ? frames : 512);
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
    explicit ScopeView(QWidget *parent = nullptr);

    void push(const QVector<float> &samples);

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    int m_window = 1024;
    QVector<float> m_trace;
};

ScopeView::ScopeView(QWidget *parent) : QWidget(parent)
{
    QByteArray raw = qgetenv("SYNTH_BUFFER");
    if (!raw.isEmpty()) {
        const bool doubled = raw.startsWith('x');
        m_window = raw.mid(doubled ? 1 : 0).toInt() * (doubled ? 2 : 1);
    }
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
