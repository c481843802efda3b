// A range-for over the chunks of each thread, and one that is left early.
// c++ -std=c++17 chunks.cpp $(pkg-config --cflags --libs libdls) -pthread
#include <dls.hpp>

#include <atomic>
#include <iostream>
#include <stdexcept>
#include <thread>
#include <vector>

int main()
{
    const int threads = 3;
    const int64_t iterations = 10000;
    std::vector<std::atomic<int>> times(iterations);
    dls::loop loop("static", iterations, threads);
    std::vector<std::thread> team;
    for (int worker = 0; worker < threads; worker++)
        team.emplace_back([&, worker] {
            for (dls::chunk chunk : loop.chunks(worker))
                for (int64_t i = chunk.begin; i < chunk.end; i++)
                    times[i]++;
        });
    for (auto &thread : team)
        thread.join();
    bool good = loop.unfinished() == 0;
    for (auto &count : times)
        good = good && count == 1;

    // Worker 0 stops at once: its chunk counts as finished.
    loop.again(90);
    try {
        for (dls::chunk chunk : loop.chunks(0))
            throw std::runtime_error("stop at " + std::to_string(chunk.begin));
    } catch (const std::exception &reason) {
        std::cout << reason.what() << "\n";
    }
    int64_t rest = 0;
    for (int worker = 1; worker < threads; worker++)
        for (dls::chunk chunk : loop.chunks(worker))
            rest += chunk.size();
    std::cout << rest << " others\n";

    try {
        dls::loop wrong("gsss", 1, 1);
        good = false;
    } catch (const dls::error &reason) {
        std::cout << reason.what() << "\n";
    }
    return good && loop.unfinished() == 0 ? 0 : 1;
}
