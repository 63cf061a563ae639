/* OSS playback backend. */
#include <sys/ioctl.h>
#include <sys/soundcard.h>

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct pcm_params {
  int rate;
  int channels;
};

struct pcm_device {
  const char *node;
  int fd;
  int prepared;
  size_t frag_bytes;
  uint8_t *frag;
  size_t fill;
};

static int set_format(int fd, const struct pcm_params *p) {
  int fmt = AFMT_S16_LE, ch = p->channels, rate = p->rate;
  if (ioctl(fd, SNDCTL_DSP_SETFMT, &fmt) < 0 || fmt != AFMT_S16_LE)
    return -EINVAL;
  if (ioctl(fd, SNDCTL_DSP_CHANNELS, &ch) < 0 || ch != p->channels)
    return -EINVAL;
  if (ioctl(fd, SNDCTL_DSP_SPEED, &rate) < 0)
    return -errno;
  return 0;
}

int pcm_prepare(struct pcm_device *dev, const struct pcm_params *p) {
  int rc = 0;
  int block = 0;

  if (dev->prepared)
    return 0;
  dev->prepared = 1;

  dev->fd = open(dev->node, O_WRONLY | O_CLOEXEC);
  if (dev->fd < 0) {
    rc = -errno;
    goto fail;
  }
  rc = set_format(dev->fd, p);
  if (rc < 0)
    goto fail_close;
  if (ioctl(dev->fd, SNDCTL_DSP_GETBLKSIZE, &block) < 0) {
    rc = -errno;
    goto fail_close;
  }
  dev->frag = (uint8_t *)malloc((size_t)block);
  if (!dev->frag) {
    rc = -ENOMEM;
    goto fail_close;
  }
  dev->frag_bytes = (size_t)block;
  dev->fill = 0;
  return 0;

fail_close:
  close(dev->fd);
  dev->fd = -1;
fail:
  dev->prepared = 0;
  return rc;
}

int pcm_write(struct pcm_device *dev, const struct pcm_params *p,
              const uint8_t *data, size_t len) {
  int rc = pcm_prepare(dev, p);
  if (rc < 0)
    return rc;
  while (len > 0) {
    size_t n = dev->frag_bytes - dev->fill;
    if (n > len)
      n = len;
    memcpy(dev->frag + dev->fill, data, n);
    dev->fill += n;
    data += n;
    len -= n;
    if (dev->fill == dev->frag_bytes) {
      if (write(dev->fd, dev->frag, dev->frag_bytes) < 0)
        return -errno;
      dev->fill = 0;
    }
  }
  return 0;
}
