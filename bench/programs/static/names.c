/* The effects of library functions, by name.  Lists are short on purpose: a
 * missing function costs a region its class, and a wrong one makes a wrong
 * result. */
#include "base/text.h"
#include "bench/programs/static/code_tables.h"
#include "bench/programs/static/flow.h"

#include <string.h>

static bool is_one_of(const char *name, const char *const *list)
{
    for (; *list != NULL; list++)
        if (strcmp(name, *list) == 0)
            return true;
    return false;
}

/* Also for float and long double. */
static bool is_math(const char *name)
{
    static const char *const math[] = {
        "sin",    "cos",    "tan",       "asin",   "acos",      "atan",
        "atan2",  "sinh",   "cosh",      "tanh",   "asinh",     "acosh",
        "atanh",  "exp",    "exp2",      "expm1",  "log",       "log2",
        "log10",  "log1p",  "pow",       "sqrt",   "cbrt",      "hypot",
        "floor",  "ceil",   "round",     "lround", "llround",   "lrint",
        "llrint", "rint",   "nearbyint", "trunc",  "fmod",      "fabs",
        "fmin",   "fmax",   "erf",       "erfc",   "tgamma",    "ldexp",
        "frexp",  "modf",   "copysign",  "fma",    "remainder", "sincos",
        "cexp",   "cabs",   "csqrt",     "clog",   "cpow",      "carg",
        "exp10",  "scalbn", "logb",      "ilogb",  NULL};
    char plain[32];
    size_t length = strlen(name);
    if (is_one_of(name, math))
        return true;
    if (length < 2 || length >= sizeof(plain) ||
        (name[length - 1] != 'f' && name[length - 1] != 'l'))
        return false;
    memcpy(plain, name, length);
    plain[length - 1] = '\0';
    return is_one_of(plain, math);
}

static bool is_memory(const char *name)
{
    static const char *const memory[] = {"malloc", "calloc", "aligned_alloc",
                                         "_Znwm",  "_Znam",  NULL};
    return is_one_of(name, memory);
}

int names_words(const char *name)
{
    static const char *const two[] = {"free",    "realloc", "_ZdlPv", "_ZdaPv",
                                      "_ZdlPvm", "_ZdaPvm", "strlen", "abs",
                                      "labs",    NULL};
    static const char *const three[] = {
        "memcpy",  "memmove", "memset",  "memcmp", "memchr", "strcpy",
        "strncpy", "strcat",  "strncmp", "strcmp", NULL};
    if (is_math(name) || is_memory(name) || is_one_of(name, two))
        return 2;
    return is_one_of(name, three) ? 3 : 6;
}

int names_vectors(const char *name)
{
    static const char *const one[] = {
        "sin",  "cos",  "tan",  "asin", "acos", "atan",  "sinh",  "cosh",
        "tanh", "exp",  "exp2", "log",  "log2", "log10", "log1p", "expm1",
        "sqrt", "cbrt", "sinf", "cosf", "expf", "logf",  "sqrtf", NULL};
    return is_one_of(name, one) ? 1 : 4;
}

/* They compute from their arguments alone, and write nothing else. */
static bool is_pure(const char *name)
{
    static const char *const pure[] = {"memcmp",
                                       "memchr",
                                       "strlen",
                                       "strcmp",
                                       "strncmp",
                                       "strchr",
                                       "strrchr",
                                       "abs",
                                       "labs",
                                       "__muldc3",
                                       "__mulsc3",
                                       "__divdc3",
                                       "__divsc3",
                                       "__powidf2",
                                       "__powisf2",
                                       "__udivti3",
                                       "__divti3",
                                       "__umodti3",
                                       "__modti3",
                                       "omp_get_wtime",
                                       "omp_get_wtime_",
                                       "_gfortran_pow_i4_i4",
                                       "_gfortran_string_len_trim",
                                       "_gfortran_compare_string",
                                       NULL};
    return is_one_of(name, pure) || is_math(name);
}

/* They write to their arguments, and keep no state. */
static bool is_fill(const char *name)
{
    static const char *const fill[] = {"memcpy",
                                       "memmove",
                                       "memset",
                                       "strcpy",
                                       "strncpy",
                                       "strcat",
                                       "__memcpy_chk",
                                       "__memset_chk",
                                       "__memmove_chk",
                                       "free",
                                       "realloc",
                                       "posix_memalign",
                                       "_ZdlPv",
                                       "_ZdaPv",
                                       "_ZdlPvm",
                                       "_ZdaPvm",
                                       "__cxa_begin_catch",
                                       "__cxa_end_catch",
                                       "__cxa_allocate_exception",
                                       "__cxa_free_exception",
                                       "__cxa_guard_acquire",
                                       "__cxa_guard_release",
                                       "__cxa_guard_abort",
                                       "_gfortran_internal_pack",
                                       "_gfortran_internal_unpack",
                                       "_gfortran_matmul_r8",
                                       "_gfortran_concat_string",
                                       NULL};
    /* From libstdc++ itself: no templates of the program. */
    static const char *const classes[] = {
        "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE",
        "_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE",
        "_ZNSt13runtime_error",
        "_ZNSt11logic_error",
        "_ZNSt12out_of_range",
        "_ZNSt16invalid_argument",
        "_ZNSt12domain_error",
        "_ZNSt12length_error",
        "_ZSt18_Rb_tree_",
        "_ZSt28_Rb_tree_",
        "_ZSt29_Rb_tree_insert",
        "_ZNSt8__detail15_List_node_base",
        "_ZNKSt8__detail20_Prime_rehash_policy"};
    for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
        if (text_begins(name, classes[i]))
            return true;
    return is_one_of(name, fill);
}

bool names_critical(const char *name)
{
    return text_begins(name, "GOMP_critical");
}

static bool is_lock(const char *name)
{
    static const char *const locks[] = {"omp_set_lock",
                                        "omp_unset_lock",
                                        "omp_set_nest_lock",
                                        "omp_unset_nest_lock",
                                        "pthread_mutex_lock",
                                        "pthread_mutex_unlock",
                                        NULL};
    return names_critical(name) || is_one_of(name, locks);
}

/* A name can be trusted only if no other module defines it. */
enum trust names_trust(const struct binary *binary, const char *name)
{
    enum trust trust = TRUST_NOT;
    if (strcmp(name, "GOMP_atomic_start") == 0 ||
        strcmp(name, "GOMP_atomic_end") == 0)
        trust = TRUST_ATOMIC;
    else if (is_lock(name))
        trust = TRUST_LOCK;
    else if (is_memory(name))
        trust = TRUST_MEMORY;
    else if (is_fill(name))
        trust = TRUST_FILL;
    else if (is_pure(name) || !names_return(name))
        trust = TRUST_PURE;
    return trust != TRUST_NOT && binary_defines(binary, name) ? TRUST_NOT
                                                              : trust;
}

bool names_give_back(const struct binary *binary, const char *name)
{
    static const char *const all[] = {"memcpy",  "memmove", "memset", "strcpy",
                                      "strncpy", "strcat",  NULL};
    return is_one_of(name, all) && !binary_defines(binary, name);
}

static const struct {
    const char *text, *reason;
} words[] = {
    [WORD_NONE] = {"", ""},
    [WORD_UNREAD] = {"code", "its instructions are not all known"},
    [WORD_BARRIER] = {"barrier", "the region has a barrier"},
    [WORD_SINGLE] = {"single", "the region has single, sections or scope"},
    [WORD_LOOP] = {"loop", "the region has another OpenMP loop"},
    [WORD_TASKS] = {"tasks", "the region has tasks, target or teams"},
    [WORD_CANCEL] = {"cancel", "the region has a cancel"},
    [WORD_SPLIT] = {"split", "no static loop was found in the region"},
    [WORD_CHUNKS] = {"chunks", "the loop is cut by hand"},
    [WORD_NUMBER] = {"number", "it has schedule(static, k), or uses the "
                               "thread's number"},
    [WORD_DATA] = {"data", "each thread of the region has data of its own"},
    [WORD_THREADS] = {"threads", "each thread does something once, and may "
                                 "count itself"},
    [WORD_LOCK] = {"lock", "the region takes a lock"},
    [WORD_CRITICAL] = {"critical", "the region has a critical section outside "
                                   "of the loop"},
    [WORD_CALLS] = {"calls", "the region calls what cannot be followed"},
    [WORD_STATE] = {"state", "a value may go from one iteration to the next"},
    [WORD_WAITS] = {"waits", "an iteration may wait for another thread"},
    /* Not the reader's: dls/omp/omp_blocks.c says these. */
    {"unread", "its code was not known before this run"},
    {"runtime", "it is not gcc's alone, so it is only measured"}};

const char *word_text(enum word word)
{
    return words[word].text;
}

const char *tables_reason(const char *word)
{
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strcmp(word, words[i].text) == 0)
            return words[i].reason;
    return "";
}

enum word names_forbidden(const char *name)
{
    static const struct {
        const char *begin;
        enum word word;
    } all[] = {{"GOMP_barrier", WORD_BARRIER}, {"GOMP_single", WORD_SINGLE},
               {"GOMP_sections", WORD_SINGLE}, {"GOMP_loop", WORD_LOOP},
               {"GOMP_doacross", WORD_LOOP},   {"GOMP_ordered", WORD_LOOP},
               {"GOMP_scope", WORD_SINGLE},    {"GOMP_task", WORD_TASKS},
               {"GOMP_workshare", WORD_TASKS}, {"GOMP_cancel", WORD_CANCEL},
               {"GOMP_target", WORD_TASKS},    {"GOMP_teams", WORD_TASKS}};
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        if (text_begins(name, all[i].begin))
            return all[i].word;
    return WORD_NONE;
}
