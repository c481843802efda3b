/* libdls for C++17: dls.h has the manual; what is here is shorter to write.
 *
 *     dls::loop loop("fss", iterations, threads);
 *     // in each thread:
 *     for (dls::chunk chunk : loop.chunks(worker))
 *         for (int64_t i = chunk.begin; i < chunk.end; i++)
 *             work(i);
 *
 * A loop that is left early, by break, return or an exception, calls dls_leave
 * for its worker.  Errors throw dls::error; with -fno-exceptions they end the
 * chunks, and loop.code() and loop.what() have the reason. */
#ifndef DLS_HPP
#define DLS_HPP

#include "dls.h"

#include <cerrno>
#include <stdexcept>
#include <string>
#include <utility>

namespace dls {

/* Iterations [begin, end). */
struct chunk {
    int64_t begin, end;
    int64_t size() const { return end - begin; }
};

class error : public std::runtime_error {
public:
    error(int code, const char *text) : std::runtime_error(text), code_(code) {}
    int code() const noexcept { return code_; } /* a negative errno */

private:
    int code_;
};

class loop;

/* The chunks of one worker: for use in a range-for, by one thread. */
class chunk_range {
public:
    class iterator {
    public:
        explicit iterator(chunk_range *range) : range_(range) {}
        const chunk &operator*() const { return range_->chunk_; }
        const chunk *operator->() const { return &range_->chunk_; }
        inline iterator &operator++();
        bool operator!=(const iterator &other) const {
            return range_ != other.range_;
        }
        bool operator==(const iterator &other) const {
            return range_ == other.range_;
        }

    private:
        chunk_range *range_; /* null: the end */
    };

    chunk_range(const chunk_range &) = delete;
    chunk_range &operator=(const chunk_range &) = delete;
    inline ~chunk_range();
    inline iterator begin();
    iterator end() { return iterator(nullptr); }

private:
    friend class loop;
    chunk_range(loop &loop, int worker) : loop_(loop), worker_(worker) {}
    inline bool next();

    loop &loop_;
    int worker_;
    bool running_ = false; /* a chunk is out */
    chunk chunk_{0, 0};
};

class loop {
public:
    loop(const std::string &scheme, int64_t iterations, int workers,
         const dls_options *options = nullptr)
        : loop(opened(scheme, iterations, workers, options)) {}
    loop(loop &&other) noexcept
        : loop_(std::exchange(other.loop_, nullptr)),
          code_(std::exchange(other.code_, -EINVAL)) {}
    loop &operator=(loop &&other) noexcept {
        std::swap(loop_, other.loop_);
        std::swap(code_, other.code_);
        return *this;
    }
    loop(const loop &) = delete;
    loop &operator=(const loop &) = delete;
    ~loop() { dls_close(loop_, nullptr); }

    /* Without exceptions: the last error, or 0. */
    int code() const noexcept { return code_; }
    const char *what() const noexcept { return dls_error(loop_); }

    chunk_range chunks(int worker) { return chunk_range(*this, worker); }

    /* The next chunk; false when there is none. */
    bool next(int worker, chunk &out) {
        int code = dls_next(loop_, worker, &out.begin, &out.end);
        check(code);
        return code == 1;
    }
    void leave(int worker) { check(dls_leave(loop_, worker)); }
    void again(int64_t iterations) { check(dls_again(loop_, iterations)); }
    /* From the next again() on; see dls_costs. */
    void costs(const double *costs, int64_t iterations) {
        check(dls_costs(loop_, costs, iterations));
    }
    int64_t unfinished() const { return dls_unfinished(loop_); }
    const char *scheme() const { return dls_scheme_of(loop_); }

    /* Of one worker, or of all. */
    dls_stats statistics(int worker = -1) const {
        dls_stats stats{};
        stats.size = sizeof(stats);
        if (dls_statistics(loop_, worker, &stats) != 0)
            refuse(-EINVAL, "dls: there is no such worker");
        return stats;
    }

    /* For the functions of dls.h. */
    dls_loop *get() const noexcept { return loop_; }

protected:
    /* What an open function gave. */
    struct handle {
        dls_loop *loop;
        int code;
    };
    explicit loop(const handle &opened)
        : loop_(opened.loop), code_(opened.code) {
#if defined(__cpp_exceptions)
        if (code_ != 0) {
            error reason(code_, dls_error(loop_));
            dls_close(loop_, nullptr);
            throw reason;
        }
#endif
    }
    void check(int code) {
        if (code < 0)
            refuse(code, dls_error(loop_));
#if !defined(__cpp_exceptions)
        if (code < 0)
            code_ = code;
#endif
    }

private:
    friend class chunk_range;
    static handle opened(const std::string &scheme, int64_t iterations,
                         int workers, const dls_options *options) {
        handle out{nullptr, 0};
        out.code =
            dls_open(&out.loop, scheme.c_str(), iterations, workers, options);
        return out;
    }
    static void refuse(int code, const char *text) {
#if defined(__cpp_exceptions)
        throw error(code, text);
#else
        (void)code, (void)text;
#endif
    }

    dls_loop *loop_ = nullptr;
    int code_ = 0;
};

inline bool chunk_range::next() {
    running_ = loop_.next(worker_, chunk_);
    return running_;
}

inline chunk_range::iterator chunk_range::begin() {
    return iterator(next() ? this : nullptr);
}

inline chunk_range::iterator &chunk_range::iterator::operator++() {
    if (!range_->next())
        range_ = nullptr;
    return *this;
}

inline chunk_range::~chunk_range() {
    if (running_)
        dls_leave(loop_.get(), worker_);
}

} // namespace dls

#endif
