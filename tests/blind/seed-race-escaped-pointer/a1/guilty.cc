// Crawl frontier: the queue of URLs still to be fetched, shared by all fetchers.
#include <pthread.h>

#include <deque>
#include <set>
#include <string>
#include <vector>

struct frontier {
  pthread_mutex_t lock;
  pthread_cond_t ready;
  std::set<std::string> visited;
  std::deque<std::string> pending;
  bool closed;
};

struct link_filter {
  const std::set<std::string>* visited;
  std::string host_suffix;
  size_t max_length;
};

struct fetcher {
  pthread_t thread;
  frontier* queue;
  link_filter filter;
  unsigned long pages;
};

std::string http_get(const std::string& url);
std::vector<std::string> extract_links(const std::string& body);

static void frontier_push(frontier* f, const std::string& url) {
  pthread_mutex_lock(&f->lock);
  if (f->visited.insert(url).second) {
    f->pending.push_back(url);
    pthread_cond_signal(&f->ready);
  }
  pthread_mutex_unlock(&f->lock);
}

static bool frontier_pop(frontier* f, std::string* url) {
  bool got = false;
  pthread_mutex_lock(&f->lock);
  while (f->pending.empty() && !f->closed) pthread_cond_wait(&f->ready, &f->lock);
  if (!f->pending.empty()) {
    *url = f->pending.front();
    f->pending.pop_front();
    got = true;
  }
  pthread_mutex_unlock(&f->lock);
  return got;
}

static void link_filter_init(link_filter* lf, frontier* f, const char* suffix) {
  lf->visited = &f->visited;
  lf->host_suffix = suffix;
  lf->max_length = 2048;
}

static bool link_filter_accepts(const link_filter* lf, const std::string& url) {
  if (url.size() > lf->max_length) return false;
  if (url.find(lf->host_suffix) == std::string::npos) return false;
  return lf->visited->count(url) == 0;
}

static void* fetcher_main(void* arg) {
  fetcher* self = static_cast<fetcher*>(arg);
  std::string url;
  while (frontier_pop(self->queue, &url)) {
    const std::string body = http_get(url);
    for (const std::string& link : extract_links(body)) {
      if (link_filter_accepts(&self->filter, link)) frontier_push(self->queue, link);
    }
    self->pages++;
  }
  return nullptr;
}

int fetcher_start(fetcher* self, frontier* queue, const char* suffix) {
  self->queue = queue;
  self->pages = 0;
  link_filter_init(&self->filter, queue, suffix);
  return pthread_create(&self->thread, nullptr, fetcher_main, self);
}
