/* A thread begins the first visit of its loop; when a line comes on stdin the
 * program opens the library that is named, whose constructor has a loop, too.
 * Exits with what the library's run(100) returns, or 6 to 9. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

static void *loop(void *data)
{
    int s = 0;
#pragma omp parallel for schedule(runtime) reduction(+ : s) num_threads(1)
    for (int i = 0; i < 10; i++)
        s += i;
    *(int *)data = s;
    return NULL;
}

int main(int count, char **word)
{
    pthread_t thread;
    int seen = 0;
    alarm(20);
    pthread_create(&thread, NULL, loop, &seen);
    if (count < 2 || getchar() == EOF)
        return 7;
    void *library = dlopen(word[1], RTLD_NOW | RTLD_LOCAL);
    void *found = library != NULL ? dlsym(library, "run") : NULL;
    if (found == NULL)
        return 8;
    pthread_join(thread, NULL);
    return seen == 45 ? ((int (*)(int))(intptr_t)found)(100) : 6;
}
