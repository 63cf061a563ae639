// Peer bookkeeping of the relay server.
#include <QByteArray>
#include <QHash>
#include <QMutex>
#include <QMutexLocker>
#include <QRunnable>
#include <QSet>
#include <QThreadPool>

struct Hello {
    quint64 peerId = 0;
    quint16 version = 0;
    QByteArray token;
};

class HandshakeValidator
{
public:
    enum Verdict { Accept, Banned, TooOld, BadToken };

    explicit HandshakeValidator(const QSet<quint64> *banned) : m_banned(banned) {}

    Verdict validate(const Hello &hello) const
    {
        if (hello.version < 3)
            return TooOld;
        if (hello.token.size() != 32)
            return BadToken;
        if (m_banned->contains(hello.peerId))
            return Banned;
        return Accept;
    }

private:
    const QSet<quint64> *m_banned;
};

class PeerHub
{
public:
    PeerHub() : m_validator(&m_banned) {}

    // Thread-safe; an operator command or the flood detector.
    void ban(quint64 peerId)
    {
        QMutexLocker locker(&m_mutex);
        m_banned.insert(peerId);
        m_peers.remove(peerId);
    }

    // Thread-safe; called from the pool for every new connection.
    bool handshake(const Hello &hello)
    {
        QMutexLocker locker(&m_mutex);
        if (m_validator.validate(hello) != HandshakeValidator::Accept)
            return false;
        m_peers.insert(hello.peerId, hello.version);
        return true;
    }

    int peerCount() const
    {
        QMutexLocker locker(&m_mutex);
        return int(m_peers.size());
    }

private:
    mutable QMutex m_mutex;
    QSet<quint64> m_banned;
    QHash<quint64, quint16> m_peers;
    HandshakeValidator m_validator;
};

class HandshakeTask : public QRunnable
{
public:
    HandshakeTask(PeerHub *hub, const Hello &hello) : m_hub(hub), m_hello(hello) {}

    void run() override
    {
        if (!m_hub->handshake(m_hello))
            m_hub->ban(m_hello.peerId);
    }

private:
    PeerHub *m_hub;
    Hello m_hello;
};

void startHandshake(PeerHub *hub, const Hello &hello)
{
    QThreadPool::globalInstance()->start(new HandshakeTask(hub, hello));
}
