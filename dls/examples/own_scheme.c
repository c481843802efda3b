/* Your own scheme: chunks of `first` iterations that double until they are a
 * quarter of the rest.
 * cc own_scheme.c $(pkg-config --cflags --libs libdls) */
#include <dls.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct doubling {
    int64_t size;
};

static int doubling_init(void *state, const dls_shape *shape,
                         const double *value)
{
    struct doubling *doubling = state;
    (void)shape;
    doubling->size = (int64_t)value[0];
    return 0;
}

static int64_t doubling_next(void *state, int worker, int64_t remaining)
{
    struct doubling *doubling = state;
    int64_t size = doubling->size;
    (void)worker;
    if (size > remaining / 4)
        return remaining / 4;
    doubling->size *= 2;
    return size;
}

static const dls_key keys[] = {
    {.name = "first", .fallback = 1, .min = 1, .max = 1e9}, {.name = NULL}};

static const dls_scheme scheme = {.size = sizeof(scheme),
                                  .name = "doubling",
                                  .keys = keys,
                                  .state_size = sizeof(struct doubling),
                                  .init = doubling_init,
                                  .next = doubling_next};

int main(void)
{
    dls_context *context;
    dls_loop *loop;
    int64_t begin, end;
    if (dls_context_open(&context) != 0 ||
        dls_context_add(context, &scheme) != 0)
        return EXIT_FAILURE;
    const dls_options options = {.size = sizeof(options), .context = context};
    int code = dls_open(&loop, "doubling:first=2", 100, 2, &options);
    if (code != 0)
        fprintf(stderr, "%s\n", dls_error(loop));
    for (int worker = 0; code == 0 && dls_next(loop, worker, &begin, &end) == 1;
         worker = !worker)
        printf("%" PRId64 " ", end - begin);
    printf("\n");
    while (code == 0 && dls_next(loop, 0, &begin, &end) == 1)
        ;
    if (code == 0)
        dls_next(loop, 1, &begin, &end);
    code = dls_close(loop, NULL);
    dls_context_close(context);
    return code == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
