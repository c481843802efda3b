/* Several perturbations of one cell: their joint spec, and their joint effect
 * on a worker that several of them hold. */
#include "harness/disturb/perturb.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- specs ---- */

/* The `+` after a spec; NULL: it is the last.  The plus in a number such as
 * 1e+3 joins nothing. */
static char *join_of(char *text)
{
    char *plus = text;
    while ((plus = strchr(plus, '+')) != NULL) {
        bool number = plus > text && tolower(plus[-1]) == 'e' &&
                      isdigit((unsigned char)plus[1]);
        if (!number)
            return plus;
        plus++;
    }
    return NULL;
}

struct entry {
    struct perturb perturb;
    char canonical[SPEC_CANONICAL_MAX];
};

static int compare_entries(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    return strcmp(x->canonical, y->canonical);
}

/* Reads all entries, sorted by canonical form; cuts `text` up. */
static int read_entries(char *text, struct entry *entry, int *count,
                        struct error *err)
{
    *count = 0;
    for (char *next; text != NULL; text = next) {
        char *join = join_of(text);
        next = join != NULL ? join + 1 : NULL;
        if (join != NULL)
            *join = '\0';
        if (*count == PERTURBS_MAX)
            return error_set(err, EINVAL,
                             "perturb: at most %d are possible in one cell",
                             PERTURBS_MAX);
        if (strcmp(text, "none") == 0)
            return error_set(err, EINVAL,
                             "perturb: give none alone, not beside others");
        struct entry *one = &entry[(*count)++];
        int code = perturb_parse(text, &one->perturb, one->canonical, err);
        if (code != 0)
            return code;
    }
    qsort(entry, (size_t)*count, sizeof(*entry), compare_entries);
    for (int i = 1; i < *count; i++)
        if (strcmp(entry[i - 1].canonical, entry[i].canonical) == 0)
            return error_set(err, EINVAL, "perturb: %s is given twice",
                             entry[i].canonical);
    return 0;
}

/* Writes the entries as one spec. */
static int join_entries(const struct entry *entry, int count,
                        char canonical[PERTURB_TEXT_MAX], struct error *err)
{
    size_t used = 0;
    for (int i = 0; i < count; i++) {
        size_t length = strlen(entry[i].canonical);
        if (used + length + 2 > PERTURB_TEXT_MAX)
            return error_set(err, EINVAL,
                             "perturb: the spec is longer than %d characters "
                             "with all its defaults",
                             PERTURB_TEXT_MAX - 1);
        if (i > 0)
            canonical[used++] = '+';
        memcpy(canonical + used, entry[i].canonical, length + 1);
        used += length;
    }
    return 0;
}

int perturbs_parse(const char *text, struct perturbs *perturbs,
                   char canonical[PERTURB_TEXT_MAX], struct error *err)
{
    struct entry entry[PERTURBS_MAX];
    char copy[PERTURB_TEXT_MAX], joined[PERTURB_TEXT_MAX] = "none";
    int count = 0, code = 0;
    if (strlen(text) >= sizeof(copy))
        return error_set(err, EINVAL,
                         "perturb: the spec is longer than %d characters",
                         PERTURB_TEXT_MAX - 1);
    strcpy(copy, text);
    if (text[0] != '\0' && strcmp(text, "none") != 0) {
        code = read_entries(copy, entry, &count, err);
        if (code == 0)
            code = join_entries(entry, count, joined, err);
        if (code != 0)
            return code;
    }
    *perturbs = (struct perturbs){.count = count};
    for (int i = 0; i < count; i++)
        perturbs->list[i] = entry[i].perturb;
    if (canonical != NULL)
        strcpy(canonical, joined);
    return 0;
}

bool perturbs_ever(const struct perturbs *perturbs)
{
    for (int i = 0; i < perturbs->count; i++)
        if (perturbs->list[i].kind->ever)
            return true;
    return false;
}

/* ---- one worker ---- */

/* By rounding, one that holds a worker may let go a little too early. */
static const double ROUNDING_S = 1e-9;

void perturb_toll_add(struct perturb_toll *toll, int32_t times, double from_s,
                      double lost_s)
{
    if (toll->times == 0)
        toll->from_s = from_s;
    toll->times += times;
    toll->lost_s += lost_s;
}

int perturbs_holder(const struct perturbs *perturbs, uint8_t hit, int worker,
                    double time_s, double *free_s)
{
    int holder = -1;
    *free_s = time_s;
    for (int i = 0; i < perturbs->count; i++) {
        const struct perturb *p = &perturbs->list[i];
        if (!(hit >> i & 1))
            continue;
        double until = p->kind->free_at(p, perturb_phase(p, worker), time_s);
        if (until > *free_s) {
            *free_s = until;
            holder = i;
        }
    }
    return holder;
}

/* When any of them next holds a worker that is free at time_s. */
static double held_at(const struct perturbs *perturbs, uint8_t hit, int worker,
                      double time_s)
{
    double next = INFINITY;
    for (int i = 0; i < perturbs->count; i++) {
        const struct perturb *p = &perturbs->list[i];
        if (hit >> i & 1)
            next = fmin(next,
                        p->kind->held_at(p, perturb_phase(p, worker), time_s));
    }
    /* Rounding must not stop the clock. */
    return next > time_s ? next : nextafter(time_s, INFINITY);
}

static double end_of_one(const struct perturb *p, int worker, double time_s,
                         double work_s, struct perturb_toll *toll)
{
    int32_t times;
    double phase = perturb_phase(p, worker);
    double end = p->kind->end(p, phase, time_s, work_s, &times);
    double from = p->kind->free_at(p, phase, time_s) > time_s
                      ? time_s
                      : p->kind->held_at(p, phase, time_s);
    if (times > 0)
        perturb_toll_add(toll, times, from, end - time_s - work_s);
    return end;
}

double perturbs_end(const struct perturbs *perturbs, uint8_t hit, int worker,
                    double time_s, double work_s, struct perturb_toll *toll)
{
    double now = time_s, left = work_s, until;
    int last = -1; /* the last holder, without work since */
    if ((hit & (hit - 1)) == 0 && hit != 0) {
        int one = 0;
        while (!(hit >> one & 1))
            one++;
        return end_of_one(&perturbs->list[one], worker, time_s, work_s,
                          &toll[one]);
    }
    for (;;) {
        int holder;
        while ((holder = perturbs_holder(perturbs, hit, worker, now, &until)) >=
               0) {
            perturb_toll_add(&toll[holder], holder != last, now, until - now);
            last = holder;
            now = until;
            if (isinf(now))
                return now;
        }
        until = held_at(perturbs, hit, worker, now);
        if (left <= until - now)
            return now + left;
        left -= until - now;
        if (until - now > ROUNDING_S)
            last = -1;
        now = until;
    }
}
