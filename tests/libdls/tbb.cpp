// Tasks of TBB are the workers of a loop, and so are its threads, twice each.
// Prints `ok`, and how many threads took part.
#include <dls.hpp>

#include <atomic>
#include <iostream>
#include <mutex>
#include <set>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <thread>
#include <vector>

enum { WORKERS = 4, ITERATIONS = 20000 };

static std::vector<std::atomic<int>> times(ITERATIONS);
static std::set<std::thread::id> threads;
static std::mutex lock;

static void ask(dls::loop &loop, int worker)
{
    {
        std::lock_guard<std::mutex> held(lock);
        threads.insert(std::this_thread::get_id());
    }
    for (dls::chunk chunk : loop.chunks(worker))
        for (int64_t i = chunk.begin; i < chunk.end; i++)
            times[i]++;
}

static bool all(int count)
{
    for (auto &one : times)
        if (one != count)
            return false;
    return true;
}

int main(int argc, char **argv)
{
    bool good = true;
    tbb::task_arena arena(WORKERS);
    for (int s = 1; s < argc; s++) {
        for (auto &one : times)
            one = 0;
        dls::loop loop(argv[s], ITERATIONS, WORKERS);
        arena.execute([&] {
            tbb::parallel_for(0, int(WORKERS),
                              [&](int task) { ask(loop, task); });
        });
        good = good && loop.unfinished() == 0 && all(1);
        // A thread asks under its own number in every task that it runs.
        loop.again(ITERATIONS);
        arena.execute([&] {
            tbb::parallel_for(0, 100 * WORKERS, [&](int) {
                ask(loop, tbb::this_task_arena::current_thread_index());
            });
        });
        for (int worker = 0; worker < WORKERS; worker++)
            ask(loop, worker); // blocks of threads that TBB had no task for
        good = good && loop.unfinished() == 0 && all(2);
    }
    std::cout << (good ? "ok " : "wrong ") << threads.size() << "\n";
    return good ? 0 : 1;
}
