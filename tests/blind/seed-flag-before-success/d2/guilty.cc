/* Multicast market-feed receiver: group membership. */

#include <arpa/inet.h>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <netinet/in.h>
#include <set>
#include <string>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

struct feed_group {
	std::string addr;
	unsigned priority;
};

struct feed {
	int fd = -1;
	struct in_addr ifaddr {};
	std::vector<feed_group> wanted;
	std::set<std::string> joined;
	unsigned long join_errors = 0;
};

static int feed_fill_mreq(const struct feed *f, const char *group, struct ip_mreq *mreq)
{
	memset(mreq, 0, sizeof(*mreq));
	if (inet_pton(AF_INET, group, &mreq->imr_multiaddr) != 1)
		return -EINVAL;
	if (!IN_MULTICAST(ntohl(mreq->imr_multiaddr.s_addr)))
		return -EINVAL;
	mreq->imr_interface = f->ifaddr;
	return 0;
}

int feed_open(struct feed *f, const char *ifname_addr, unsigned short port)
{
	struct sockaddr_in sa;
	int on = 1;

	if (inet_pton(AF_INET, ifname_addr, &f->ifaddr) != 1)
		return -EINVAL;
	int fd = socket(AF_INET, SOCK_DGRAM, 0);
	if (fd < 0)
		return -errno;

	memset(&sa, 0, sizeof(sa));
	sa.sin_family = AF_INET;
	sa.sin_port = htons(port);
	sa.sin_addr.s_addr = htonl(INADDR_ANY);
	if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) < 0 ||
	    bind(fd, reinterpret_cast<struct sockaddr *>(&sa), sizeof(sa)) < 0) {
		int err = errno;
		close(fd);
		return -err;
	}
	f->fd = fd;
	return 0;
}

/* Idempotent: a group that is joined already is left alone. */
int feed_join(struct feed *f, const std::string &group)
{
	struct ip_mreq mreq;
	int rc;

	if (!f->joined.insert(group).second)
		return 0;

	rc = feed_fill_mreq(f, group.c_str(), &mreq);
	if (rc < 0)
		return rc;
	if (setsockopt(f->fd, IPPROTO_IP, IP_ADD_MEMBERSHIP, &mreq, sizeof(mreq)) < 0)
		return -errno;

	return 0;
}

/*
 * Runs from the one-second timer: the interface may come up late, and
 * ENODEV or ENOBUFS go away by themselves.
 */
void feed_tick(struct feed *f)
{
	for (const feed_group &g : f->wanted) {
		int rc = feed_join(f, g.addr);

		if (rc < 0) {
			f->join_errors++;
			fprintf(stderr, "feed: join %s: %s\n", g.addr.c_str(), strerror(-rc));
		}
	}
}

void feed_close(struct feed *f)
{
	if (f->fd >= 0)
		close(f->fd);
	f->fd = -1;
	f->joined.clear();
}
