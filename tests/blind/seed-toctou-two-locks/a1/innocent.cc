/* In-memory inodes of the read/write FUSE file system. */
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <unordered_map>

#define INODE_SIZE 256

struct disk_inode {
  uint32_t mode;
  uint32_t links;
  uint64_t size;
  uint64_t blocks[30];
};
static_assert(sizeof(disk_inode) == INODE_SIZE, "on-disk layout");

struct inode {
  uint64_t number;
  int refs;
  bool dirty;
  pthread_mutex_t lock;
  disk_inode disk;
};

struct inode_cache {
  int fd;
  off_t table_offset;
  pthread_mutex_t lock;
  std::unordered_map<uint64_t, inode *> by_number;
};

static int inode_read(inode_cache *cache, uint64_t number, inode **out)
{
  const off_t at = cache->table_offset + (off_t)(number * INODE_SIZE);
  ssize_t n;
  int rc;
  inode *node = (inode *)calloc(1, sizeof(*node));

  if (node == NULL)
    return -ENOMEM;
  n = pread(cache->fd, &node->disk, INODE_SIZE, at);
  if (n != INODE_SIZE) {
    rc = n < 0 ? -errno : -EIO;
    goto fail;
  }
  if (node->disk.links == 0) {
    rc = -ENOENT;
    goto fail;
  }
  node->number = number;
  node->refs = 1;
  pthread_mutex_init(&node->lock, NULL);
  *out = node;
  return 0;

fail:
  free(node);
  return rc;
}

static void inode_free(inode *node)
{
  pthread_mutex_destroy(&node->lock);
  free(node);
}

int inode_get(inode_cache *cache, uint64_t number, inode **out)
{
  inode *node = NULL;
  int rc;

  pthread_mutex_lock(&cache->lock);
  auto it = cache->by_number.find(number);
  if (it != cache->by_number.end()) {
    node = it->second;
    node->refs++;
  }
  pthread_mutex_unlock(&cache->lock);
  if (node != NULL)
    goto found;

  rc = inode_read(cache, number, &node);
  if (rc < 0)
    return rc;

  pthread_mutex_lock(&cache->lock);
  it = cache->by_number.find(number);
  if (it != cache->by_number.end()) {
    inode_free(node);
    node = it->second;
    node->refs++;
  } else {
    cache->by_number[number] = node;
  }
  pthread_mutex_unlock(&cache->lock);

found:
  *out = node;
  return 0;
}

void inode_put(inode_cache *cache, inode *node)
{
  pthread_mutex_lock(&cache->lock);
  node->refs--;
  pthread_mutex_unlock(&cache->lock);
}
