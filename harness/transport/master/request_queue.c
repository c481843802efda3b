#include "harness/transport/master/request_queue.h"

#include "base/invariant.h"

#include <errno.h>
#include <stdlib.h>

int request_queue_open(struct request_queue *queue, struct mailbox *box,
                       int children)
{
    *queue = (struct request_queue){.box = box, .children = children};
    if (children == 0)
        return 0;
    queue->waiting = calloc((size_t)children, sizeof(*queue->waiting));
    return queue->waiting != NULL ? 0 : -ENOMEM;
}

void request_queue_close(struct request_queue *queue)
{
    free(queue->waiting);
    queue->waiting = NULL;
}

void request_queue_reset(struct request_queue *queue)
{
    queue->finals = 0;
    queue->count = 0;
    queue->is_open = false;
}

void request_queue_listen(struct request_queue *queue)
{
    mailbox_post(queue->box, queue->children - queue->finals);
    queue->is_open = queue->box->posted > 0;
}

void request_queue_keep(struct request_queue *queue,
                        const struct request *request)
{
    invariant(queue->count < queue->children);
    queue->waiting[queue->count++] = *request;
}
