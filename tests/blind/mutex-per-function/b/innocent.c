#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

struct timer {
    uint64_t due;
    int id;
    struct timer *next;
};

struct timer_list {
    struct timer *head;
    unsigned count;
};

static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;

static void insert_sorted(struct timer_list *list, struct timer *timer) {
    struct timer **link = &list->head;
    while (*link != NULL && (*link)->due <= timer->due) link = &(*link)->next;
    timer->next = *link;
    *link = timer;
    list->count++;
}

int timer_list_add(struct timer_list *list, uint64_t due, int id) {
    struct timer *timer = malloc(sizeof *timer);
    if (timer == NULL) return -1;
    timer->due = due;
    timer->id = id;
    pthread_mutex_lock(&list_lock);
    insert_sorted(list, timer);
    pthread_mutex_unlock(&list_lock);
    return 0;
}

unsigned timer_list_fire(struct timer_list *list, uint64_t now, int *ids, unsigned room) {
    unsigned fired = 0;
    pthread_mutex_lock(&list_lock);
    while (fired < room && list->head != NULL && list->head->due <= now) {
        struct timer *timer = list->head;
        list->head = timer->next;
        list->count--;
        ids[fired++] = timer->id;
        free(timer);
    }
    pthread_mutex_unlock(&list_lock);
    return fired;
}
