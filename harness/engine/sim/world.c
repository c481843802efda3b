#include "harness/engine/sim/world.h"

#include <errno.h>
#include <mpi.h>
#include <simgrid/actor.h>
#include <simgrid/barrier.h>
#include <simgrid/engine.h>
#include <simgrid/host.h>
#include <simgrid/link.h>
#include <simgrid/semaphore.h>
#include <smpi/smpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <ucontext.h>

#undef clock_gettime /* SMPI's is the simulated clock */

/* Between two looks for the world, by ranks that begin before rank 0. */
static const double LOOK_S = 1e-9;

/* All ranks; the waiting ones wait at their `go`. */
struct engine_team {
    int threads;
    sg_sem_t *go; /* for each rank but 0 */
    sg_bar_t back;
    bool stop;
    void (*body)(int thread, void *arg);
    void *arg;
};

int world_begin(int *argc, char ***argv)
{
    int rank;
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

void world_end(void)
{
    MPI_Finalize();
}

void world_show(struct world *world)
{
    size_t count = sg_host_count(); /* this call also builds the list */
    sg_host_t *hosts = sg_host_list();
    for (size_t i = 0; i < count; i++)
        sg_host_set_data(hosts[i], world);
    free(hosts);
}

struct world *world_here(void)
{
    struct world *world;
    while ((world = sg_host_get_data(sg_host_self())) == NULL)
        sg_actor_sleep_for(LOOK_S);
    return world;
}

void world_compute(double flops)
{
    smpi_execute_flops(flops);
}

/* Reads costs as SMPI does for its messages: "smallest:s:s_per_byte", of which
 * we use one entry. */
static void read_cost(sg_host_t host, const char *name, double cost[2])
{
    const char *text = sg_host_get_property_value(host, name);
    if (text == NULL || sscanf(text, "%*f:%lf:%lf", &cost[0], &cost[1]) != 2)
        cost[0] = cost[1] = 0;
}

struct world_place world_place(void)
{
    sg_host_t host = sg_host_self();
    struct world_place place = {.host = host,
                                .speed = sg_host_get_speed(host),
                                .cores = sg_host_core_count(host),
                                .power = 1};
    read_cost(host, "smpi/os", place.send_s);
    read_cost(host, "smpi/or", place.receive_s);
    return place;
}

bool world_charges_receivers(void)
{
    const struct world *world = world_here();
    const double *cost = world->place[0].receive_s;
    return world->machine != NULL || cost[0] > 0 || cost[1] > 0;
}

static double message_s(const double cost[2], double bytes)
{
    return cost[0] + cost[1] * bytes;
}

void world_carry(int from, int to, double bytes)
{
    const struct world_place *source = &world_here()->place[from];
    const struct world_place *target = &world_here()->place[to];
    world_sleep(message_s(source->send_s, bytes));
    sg_host_sendto((sg_host_t)source->host, (sg_host_t)target->host, bytes);
    world_sleep(message_s(target->receive_s, bytes));
}

void world_reach(int rank, double bytes)
{
    int caller;
    MPI_Comm_rank(MPI_COMM_WORLD, &caller);
    const struct world_place *place = world_here()->place;
    world_sleep(message_s(place[caller].send_s, bytes));
    sg_host_sendto((sg_host_t)place[caller].host, (sg_host_t)place[rank].host,
                   bytes);
    world_time_passed();
}

void world_answer(int rank, double bytes)
{
    int caller;
    MPI_Comm_rank(MPI_COMM_WORLD, &caller);
    const struct world_place *place = world_here()->place;
    sg_host_sendto((sg_host_t)place[rank].host, (sg_host_t)place[caller].host,
                   bytes);
    world_sleep(message_s(place[caller].receive_s, bytes));
}

void world_route(const struct world_place *from, const struct world_place *to,
                 double *latency, double *bandwidth)
{
    *latency = sg_host_get_route_latency(from->host, to->host);
    *bandwidth = sg_host_get_route_bandwidth(from->host, to->host);
}

double *world_scale_links(double latency, double bandwidth)
{
    size_t count = sg_link_count();
    sg_link_t *links = sg_link_list();
    double *before = calloc(2 * count + 1, sizeof(*before));
    for (size_t i = 0; before != NULL && i < count; i++) {
        before[2 * i] = sg_link_get_latency(links[i]);
        before[2 * i + 1] = sg_link_get_bandwidth(links[i]);
        sg_link_set_latency(links[i], before[2 * i] * latency);
        sg_link_set_bandwidth(links[i], before[2 * i + 1] * bandwidth);
    }
    free(links);
    return before;
}

void world_restore_links(double *before)
{
    size_t count = sg_link_count();
    sg_link_t *links = sg_link_list();
    for (size_t i = 0; i < count; i++) {
        sg_link_set_latency(links[i], before[2 * i]);
        sg_link_set_bandwidth(links[i], before[2 * i + 1]);
    }
    free(links);
    free(before);
}

void world_sleep(double seconds)
{
    sg_actor_sleep_for(seconds);
    world_time_passed();
}

void *world_room_open(size_t bytes)
{
    return smpi_shared_malloc(bytes, __FILE__, __LINE__);
}

void world_room_close(void *room)
{
    smpi_shared_free(room);
}

double world_wall(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A name may be any text: as text_from_word of base/text.h reads it. */
void world_print_hosts(void)
{
    size_t count = sg_host_count();
    sg_host_t *hosts = sg_host_list();
    for (size_t i = 0; i < count; i++) {
        printf("@host %d %.17g ", sg_host_core_count(hosts[i]),
               sg_host_get_speed(hosts[i]));
        for (const char *c = sg_host_get_name(hosts[i]); *c != '\0'; c++)
            printf((unsigned char)*c <= ' ' || *c == '%' ? "%%%02X" : "%c",
                   (unsigned char)*c);
        putchar('\n');
    }
    free(hosts);
}

/* The size of a boundary of some hundred columns. */
enum { MESSAGE_BYTES = 8192 };

/* There and back again; the caller begins.  SMPI's clock takes time itself. */
static double round_trip(int other, void *room, int bytes)
{
    double start = simgrid_get_clock();
    MPI_Send(room, bytes, MPI_BYTE, other, 0, MPI_COMM_WORLD);
    MPI_Recv(room, bytes, MPI_BYTE, other, 0, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    return simgrid_get_clock() - start;
}

/* The time of the caller's two calls for a round trip when the answer has long
 * arrived, so that it does not wait. */
static double busy_time(int other, void *room, int bytes, double trip)
{
    MPI_Request answer;
    MPI_Irecv(room, bytes, MPI_BYTE, other, 0, MPI_COMM_WORLD, &answer);
    double start = simgrid_get_clock();
    MPI_Send(room, bytes, MPI_BYTE, other, 0, MPI_COMM_WORLD);
    double busy = simgrid_get_clock() - start;
    sg_actor_sleep_for(2 * trip);
    start = simgrid_get_clock();
    MPI_Wait(&answer, MPI_STATUS_IGNORE);
    return busy + simgrid_get_clock() - start;
}

static void return_messages(int other, void *room, int bytes)
{
    for (int times = 0; times < 2; times++) {
        MPI_Recv(room, bytes, MPI_BYTE, other, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        MPI_Send(room, bytes, MPI_BYTE, other, 0, MPI_COMM_WORLD);
    }
}

/* Pair after pair: a rank begins when the one before has ended. */
void world_print_messages(int rank)
{
    int ranks;
    void *room = world_room_open(MESSAGE_BYTES);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (rank > 0) {
        return_messages(rank - 1, room, 0);
        return_messages(rank - 1, room, MESSAGE_BYTES);
    }
    if (rank + 1 < ranks) {
        double empty = round_trip(rank + 1, room, 0);
        double busy = busy_time(rank + 1, room, 0, empty);
        double full = round_trip(rank + 1, room, MESSAGE_BYTES);
        double busy_full = busy_time(rank + 1, room, MESSAGE_BYTES, full);
        printf("@message %d %.17g %.17g %.17g %.17g\n", rank, empty / 2,
               (full - empty) / 2 / MESSAGE_BYTES, busy,
               (busy_full - busy) / MESSAGE_BYTES);
    }
    world_room_close(room);
}

/* ---- a separate stack ---- */

struct call {
    int (*body)(void *arg);
    void *arg;
    int code;
    ucontext_t here, there;
};

/* makecontext only passes integers. */
static void enter_context(unsigned high, unsigned low)
{
    struct call *call = (struct call *)((uintptr_t)high << 32 | low);
    call->code = call->body(call->arg);
}

int world_on_stack(size_t bytes, int (*body)(void *arg), void *arg)
{
    struct call call = {.body = body, .arg = arg};
    uintptr_t at = (uintptr_t)&call;
    void *stack = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    if (stack == MAP_FAILED)
        return -ENOMEM;
    getcontext(&call.there);
    call.there.uc_stack.ss_sp = stack;
    call.there.uc_stack.ss_size = bytes;
    call.there.uc_link = &call.here;
    makecontext(&call.there, (void (*)(void))enter_context, 2,
                (unsigned)(at >> 32), (unsigned)at);
    swapcontext(&call.here, &call.there);
    munmap(stack, bytes);
    return call.code;
}

/* ---- the team of all ranks ---- */

int engine_team_start(struct engine_team **out, int threads, struct error *err)
{
    struct engine_team *team = calloc(1, sizeof(*team));
    if (team == NULL)
        return error_set(err, ENOMEM, "out of memory for %d ranks", threads);
    team->go = malloc((size_t)threads * sizeof(*team->go));
    if (team->go == NULL) {
        free(team);
        return error_set(err, ENOMEM, "out of memory for %d ranks", threads);
    }
    team->threads = threads;
    for (int i = 1; i < threads; i++)
        team->go[i] = sg_sem_init(0);
    team->back = sg_barrier_init((unsigned)threads);
    world_here()->team = team;
    *out = team;
    return 0;
}

/* In the order of ranks, so that simultaneous events have the same order in
 * every cell, whatever ran before. */
static void wake_all(struct engine_team *team)
{
    for (int i = 1; i < team->threads; i++)
        sg_sem_release(team->go[i]);
}

void engine_team_run(struct engine_team *team,
                     void (*body)(int thread, void *arg), void *arg)
{
    team->body = body;
    team->arg = arg;
    wake_all(team);
    body(0, arg);
    sg_barrier_wait(team->back);
}

void engine_team_barrier(struct engine_team *team,
                         const struct engine_patience *patience)
{
    (void)patience;
    sg_barrier_wait(team->back);
}

/* The team's memory stays: another rank is the last to read it. */
void engine_team_stop(struct engine_team *team)
{
    team->stop = true;
    wake_all(team);
}

void world_release(struct world *world)
{
    world->over = true;
    if (world->team != NULL)
        engine_team_stop(world->team);
}

void world_follow(int rank)
{
    struct world *world = world_here();
    while (world->team == NULL && !world->over)
        sg_actor_sleep_for(LOOK_S);
    struct engine_team *team = world->team;
    while (team != NULL) {
        sg_sem_acquire(team->go[rank]);
        if (team->stop)
            return;
        team->body(rank, team->arg);
        sg_barrier_wait(team->back);
    }
}
