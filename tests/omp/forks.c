/* A thread begins the first visit of its loop; when a line comes on stdin the
 * program forks, and the child has a loop of its own.  Exits with the child's
 * code, or 128 and the signal that ended it. */
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static int sum(int n)
{
    int s = 0;
#pragma omp parallel for schedule(dynamic) reduction(+ : s) num_threads(1)
    for (int i = 0; i < n; i++)
        s += i;
    return s;
}

static void *loop(void *data)
{
    int s = 0;
#pragma omp parallel for schedule(runtime) reduction(+ : s) num_threads(1)
    for (int i = 0; i < 10; i++)
        s += i;
    *(int *)data = s;
    return NULL;
}

int main(void)
{
    pthread_t thread;
    int seen = 0, status = 0;
    pthread_create(&thread, NULL, loop, &seen);
    if (getchar() == EOF)
        return 7;
    pid_t child = fork();
    if (child == 0) {
        puts("forked");
        fflush(stdout);
        alarm(20);
        _exit(sum(10) == 45 ? 0 : 9);
    }
    waitpid(child, &status, 0);
    pthread_join(thread, NULL);
    if (seen != 45)
        return 6;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
