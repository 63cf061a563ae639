#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

struct bridge {
    int control;
    char ports[2][IFNAMSIZ];
    int up;
};

static int change_flags(int control, const char *port, short set) {
    struct ifreq request;
    memset(&request, 0, sizeof request);
    snprintf(request.ifr_name, sizeof request.ifr_name, "%s", port);
    if (ioctl(control, SIOCGIFFLAGS, &request) < 0) return -errno;
    request.ifr_flags |= set;
    if (ioctl(control, SIOCSIFFLAGS, &request) < 0) return -errno;
    return 0;
}

static int bridge_setup(struct bridge *bridge) {
    for (int i = 0; i < 2; ++i) {
        int rc = change_flags(bridge->control, bridge->ports[i], IFF_UP | IFF_PROMISC);
        if (rc < 0) return rc;
    }
    bridge->up = 1;
    return 0;
}

int bridge_start(struct bridge *bridge, const char *left, const char *right) {
    memset(bridge, 0, sizeof *bridge);
    bridge->control = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (bridge->control < 0) return -errno;
    snprintf(bridge->ports[0], IFNAMSIZ, "%s", left);
    snprintf(bridge->ports[1], IFNAMSIZ, "%s", right);
    const int rc = bridge_setup(bridge);
    if (rc < 0) {
        close(bridge->control);
        bridge->control = -1;
    }
    return rc;
}

void bridge_stop(struct bridge *bridge) {
    if (bridge->control >= 0) close(bridge->control);
    bridge->control = -1;
    bridge->up = 0;
}
