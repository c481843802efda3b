/* A rank's part of a transport: the functions of struct transport_ops
 * (harness/transport/transport.h), or their defaults. */
#ifndef HARNESS_TRANSPORT_TRANSPORT_END_H
#define HARNESS_TRANSPORT_TRANSPORT_END_H

#include "harness/transport/transport.h"

struct transport_end {
    const struct transport *transport; /* NULL: not open */
    void *own;
    /* Both set once: a rank polls after every chunk. */
    bool polls;
    bool (*poll)(void *own);
};

/* Collective; all ranks return the same code.  transport and comm stay the
 * caller's. */
int end_open(struct transport_end *end, const struct transport *transport,
             const struct comm *comm, struct error *err);
void end_close(struct transport_end *end);

void end_reset(struct transport_end *end, bool further_step);
void end_listen(struct transport_end *end);
struct source *end_source(const struct transport_end *end, int i);
static inline bool end_polls(const struct transport_end *end)
{
    return end->polls;
}
static inline bool end_poll(struct transport_end *end)
{
    return end->poll(end->own);
}
void end_serve(struct transport_end *end, MPI_Request *other,
               MPI_Status *status);
void end_leave(struct transport_end *end);
void end_finish(struct transport_end *end);

/* Adds the messages since the reset. */
void end_add_traffic(const struct transport_end *end, int64_t *messages,
                     int64_t *bytes);
bool end_keeps(const struct transport_end *end, int worker);
bool end_collected(const struct transport_end *end, int64_t *cursor,
                   int64_t *start, int64_t *size);
void end_poison(struct transport_end *end, int byte);
char *end_output(const struct transport_end *end, int i);
const char *end_data(const struct transport_end *end, int i, int64_t *first);
bool end_is_over(const struct transport_end *end);
void end_facts(const struct transport_end *end, int i,
               int64_t value[TRANSPORT_FACTS]);
const char *end_chosen(const struct transport_end *end);
enum engine_cost end_cost(const struct transport_end *end, int i);

#endif
