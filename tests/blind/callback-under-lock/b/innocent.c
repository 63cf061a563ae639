#include <errno.h>
#include <pthread.h>
#include <stddef.h>

enum device_state { DEVICE_DOWN, DEVICE_STARTING, DEVICE_UP, DEVICE_FAILED };

struct device;
typedef void (*device_observer)(struct device *dev, enum device_state from, enum device_state to,
                                void *user);

struct device {
    pthread_mutex_t lock;
    enum device_state state;
    unsigned transitions;
    device_observer observer;
    void *observer_user;
};

int device_init(struct device *dev, device_observer observer, void *user) {
    dev->state = DEVICE_DOWN;
    dev->transitions = 0;
    dev->observer = observer;
    dev->observer_user = user;
    return pthread_mutex_init(&dev->lock, NULL);
}

enum device_state device_get_state(struct device *dev) {
    pthread_mutex_lock(&dev->lock);
    const enum device_state state = dev->state;
    pthread_mutex_unlock(&dev->lock);
    return state;
}

static int allowed(enum device_state from, enum device_state to) {
    if (from == to) return 0;
    return to != DEVICE_UP || from == DEVICE_STARTING;
}

static void announce(struct device *dev, enum device_state from, enum device_state to) {
    if (dev->observer != NULL) dev->observer(dev, from, to, dev->observer_user);
}

int device_set_state(struct device *dev, enum device_state next) {
    int rc = 0;
    pthread_mutex_lock(&dev->lock);
    const enum device_state old = dev->state;
    if (allowed(old, next)) {
        dev->state = next;
        dev->transitions++;
    } else {
        rc = -EINVAL;
    }
    pthread_mutex_unlock(&dev->lock);
    if (rc == 0) announce(dev, old, next);
    return rc;
}
