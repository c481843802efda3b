/* A team of threads that sleep between two calls, and its barrier. */
#include "harness/engine/engine.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

struct engine_team {
    int threads;
    int started; /* threads that exist, the caller not counted */
    pthread_t *handle;
    pthread_mutex_t mutex;
    pthread_cond_t go, back;
    uint64_t round; /* counts runs; a thread leaves its sleep on a change */
    int working;    /* threads still in this run */
    bool stop;
    void (*body)(int thread, void *arg);
    void *arg;
    _Atomic uint32_t arrived; /* at the barrier */
    _Atomic uint32_t phase;   /* of the barrier */
    struct engine_event opened;
    /* The owner of the threads; NULL: ours. */
    void (*fork)(void *keeper, int threads, void (*body)(int thread, void *arg),
                 void *arg);
    void *keeper;
};

struct member {
    struct engine_team *team;
    int thread;
};

/* Sleeps until the next run; false when the team stops. */
static bool next_round(struct engine_team *team, uint64_t *seen)
{
    pthread_mutex_lock(&team->mutex);
    while (team->round == *seen && !team->stop)
        pthread_cond_wait(&team->go, &team->mutex);
    *seen = team->round;
    bool go = !team->stop;
    pthread_mutex_unlock(&team->mutex);
    return go;
}

static void *member_main(void *arg)
{
    struct member member = *(struct member *)arg;
    struct engine_team *team = member.team;
    uint64_t seen = 0;
    free(arg);
    while (next_round(team, &seen)) {
        team->body(member.thread, team->arg);
        pthread_mutex_lock(&team->mutex);
        if (--team->working == 0)
            pthread_cond_signal(&team->back);
        pthread_mutex_unlock(&team->mutex);
    }
    return NULL;
}

static int start_member(struct engine_team *team, int thread, struct error *err)
{
    struct member *member = malloc(sizeof(*member));
    if (member == NULL)
        return error_set(err, ENOMEM, "out of memory for thread %d", thread);
    *member = (struct member){team, thread};
    int code = pthread_create(&team->handle[thread], NULL, member_main, member);
    if (code != 0) {
        free(member);
        return error_set(err, code, "cannot start thread %d of %d: %s", thread,
                         team->threads, strerror(code));
    }
    team->started++;
    return 0;
}

static struct engine_team *make_team(int threads, struct error *err)
{
    struct engine_team *team = calloc(1, sizeof(*team));
    if (team != NULL)
        team->handle = calloc((size_t)threads, sizeof(*team->handle));
    if (team == NULL || team->handle == NULL) {
        free(team);
        error_set(err, ENOMEM, "out of memory for %d threads", threads);
        return NULL;
    }
    /* Sleeps of a few microseconds must not last 50 more; later threads inherit
     * this. */
    prctl(PR_SET_TIMERSLACK, 1000L);
    team->threads = threads;
    pthread_mutex_init(&team->mutex, NULL);
    pthread_cond_init(&team->go, NULL);
    pthread_cond_init(&team->back, NULL);
    return team;
}

int engine_team_adopt(struct engine_team **out, int threads,
                      void (*fork)(void *keeper, int threads,
                                   void (*body)(int thread, void *arg),
                                   void *arg),
                      void *keeper, struct error *err)
{
    struct engine_team *team = make_team(threads, err);
    if (team == NULL)
        return -ENOMEM;
    team->fork = fork;
    team->keeper = keeper;
    *out = team;
    return 0;
}

int engine_team_start(struct engine_team **out, int threads, struct error *err)
{
    struct engine_team *team = make_team(threads, err);
    if (team == NULL)
        return -ENOMEM;
    for (int t = 1; t < threads; t++) {
        int code = start_member(team, t, err);
        if (code != 0) {
            engine_team_stop(team);
            return code;
        }
    }
    *out = team;
    return 0;
}

void engine_team_run(struct engine_team *team,
                     void (*body)(int thread, void *arg), void *arg)
{
    if (team->fork != NULL) {
        team->fork(team->keeper, team->threads, body, arg);
        return;
    }
    pthread_mutex_lock(&team->mutex);
    team->body = body;
    team->arg = arg;
    team->working = team->threads - 1;
    team->round++;
    pthread_cond_broadcast(&team->go);
    pthread_mutex_unlock(&team->mutex);
    body(0, arg);
    pthread_mutex_lock(&team->mutex);
    while (team->working > 0)
        pthread_cond_wait(&team->back, &team->mutex);
    pthread_mutex_unlock(&team->mutex);
}

struct barrier_wait {
    struct engine_team *team;
    uint32_t phase;
};

static bool barrier_open(void *arg)
{
    const struct barrier_wait *wait = arg;
    return atomic_load_explicit(&wait->team->phase, memory_order_acquire) !=
           wait->phase;
}

/* The last thread clears `arrived` before it changes the phase, because
 * released threads may arrive at the next barrier at once. */
void engine_team_barrier(struct engine_team *team,
                         const struct engine_patience *patience)
{
    struct barrier_wait wait = {team, atomic_load(&team->phase)};
    if (atomic_fetch_add(&team->arrived, 1) + 1 == (uint32_t)team->threads) {
        atomic_store(&team->arrived, 0);
        atomic_fetch_add_explicit(&team->phase, 1, memory_order_release);
        engine_wake(&team->opened);
        return;
    }
    engine_wait(patience, &team->opened, barrier_open, &wait);
}

void engine_team_stop(struct engine_team *team)
{
    pthread_mutex_lock(&team->mutex);
    team->stop = true;
    pthread_cond_broadcast(&team->go);
    pthread_mutex_unlock(&team->mutex);
    for (int t = 1; t <= team->started; t++)
        pthread_join(team->handle[t], NULL);
    pthread_cond_destroy(&team->back);
    pthread_cond_destroy(&team->go);
    pthread_mutex_destroy(&team->mutex);
    free(team->handle);
    free(team);
}
