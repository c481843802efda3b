/* The reader reads this very program: regions as gcc writes them, each of 400
 * iterations, in assembly language so that no compiler changes them.  None of
 * them ever runs. */
#include "bench/programs/static/code_reader.h"

#include "base/unit_testing.h"
#include "bench/programs/static/region_class.h"

#include <link.h>
#include <string.h>

#ifdef __x86_64__
#define FUNCTION(name, code)                                                   \
    ".type " #name ",@function\n" #name ":\n.cfi_startproc\n" code             \
    ".cfi_endproc\n.size " #name ",.-" #name "\n"

/* Iterations are in EBP, and end before R12D.  EAX and EDX are free. */
#define REGION(name, before, iteration, behind)                                \
    FUNCTION(name, "push %r12\npush %rbp\npush %rbx\n"                         \
                   "call omp_get_num_threads@plt\n"                            \
                   "mov %eax, %ebx\n"                                          \
                   "call omp_get_thread_num@plt\n"                             \
                   "xor %edx, %edx\n"                                          \
                   "mov %eax, %ebp\n"                                          \
                   "mov $400, %eax\n"                                          \
                   "idiv %ebx\n"                                               \
                   "cmp %edx, %ebp\n"                                          \
                   "jl 1f\n"                                                   \
                   "2: imul %eax, %ebp\n"                                      \
                   "add %edx, %ebp\n"                                          \
                   "lea (%rax,%rbp), %r12d\n"                                  \
                   "cmp %r12d, %ebp\n"                                         \
                   "jge 3f\n" before "4:\n" iteration "add $1, %ebp\n"         \
                   "cmp %ebp, %r12d\n"                                         \
                   "jne 4b\n"                                                  \
                   "3:\n" behind "pop %rbx\npop %rbp\npop %r12\n"              \
                   "ret\n"                                                     \
                   "1: add $1, %eax\n"                                         \
                   "xor %edx, %edx\n"                                          \
                   "jmp 2b\n")                                                 \
    FUNCTION(name##_begins, "sub $8, %rsp\n"                                   \
                            "xor %ecx, %ecx\n"                                 \
                            "xor %edx, %edx\n"                                 \
                            "xor %esi, %esi\n"                                 \
                            "lea " #name "(%rip), %rdi\n"                      \
                            "call GOMP_parallel@plt\n"                         \
                            "add $8, %rsp\n"                                   \
                            "ret\n")

#define STORE "mov %eax, shared_word(%rip)\n"
#define LEFT "mov %edx, shared_word(%rip)\n"
#define PUT                                                                    \
    "movslq %ebp, %rax\nlea shared_word(%rip), %rdx\n"                         \
    "mov %ebp, (%rdx,%rax,4)\n"

__asm__(
    ".text\n.local shared_word\n.comm shared_word,2048,32\n" FUNCTION(
        own_sum, "xor %eax, %eax\n"
                 "5: test %edi, %edi\n"
                 "jle 6f\n"
                 "add %edi, %eax\n"
                 "sub $1, %edi\n"
                 "jmp 5b\n"
                 "6: ret\n")
        FUNCTION(own_waits, "5: mov shared_word(%rip), %eax\n"
                            "test %eax, %eax\n"
                            "je 5b\n"
                            "ret\n") REGION(region_plain, "", PUT, "")
            REGION(region_moves, "mov %ebp, %r8d\n",
                   PUT "mov %r8d, (%rdx)\nadd $1, %r8d\n", "")
                REGION(region_carries, "mov %ebp, %r8d\n",
                       PUT "mov %r8d, (%rdx)\nadd $3, %r8d\n", "")
                    REGION(region_calls, "",
                           "imul $7, %ebp, %edi\ncall own_sum\n" STORE, "")
    /* gcc keeps the end in a register that the function does not touch. */
    REGION(region_keeps, "mov %r12d, %ecx\n",
           "mov %ebp, %edi\ncall own_sum\n" STORE "mov %ecx, %r12d\n",
           "") REGION(region_pointer, "", "call *shared_word(%rip)\n",
                      "") REGION(region_waits, "", "call own_waits\n", "")
        REGION(region_uses, "", "call omp_get_thread_num@plt\n" STORE, "")
            REGION(region_number, "", PUT, "call omp_get_thread_num@plt\n")
                REGION(region_stores, "", PUT,
                       "call omp_get_thread_num@plt\n" STORE)
                    REGION(region_barrier, "", PUT, "call GOMP_barrier@plt\n")
                        REGION(region_counts, "", PUT,
                               "lock addl $1, shared_word(%rip)\n")
                            REGION(region_private, "", PUT,
                                   "mov %fs:-4, %eax\n")
                                REGION(region_locks, "", PUT,
                                       "call GOMP_critical_start@plt\n"
                                       "call GOMP_critical_end@plt\n")
    /* What the call left in EDX is read on one way, or on none. */
    FUNCTION(own_reads, "test %edi, %edi\nje 5f\nmov $1, %edx\nret\n"
                        "5: add $2, %edx\nret\n")
        FUNCTION(own_writes, "test %edi, %edi\nje 5f\nmov $1, %edx\nret\n"
                             "5: mov $2, %edx\nadd %edx, %edx\nret\n")
            FUNCTION(own_passes, "test %edi, %edi\nje 5f\nmov $1, %edx\n"
                                 "5: ret\n")
                REGION(region_passes, "",
                       "mov %ebp, %edi\ncall own_passes\n" LEFT, "")
                    REGION(region_reads, "",
                           "mov %ebp, %edi\ncall own_reads\n" LEFT, "")
                        REGION(region_writes, "",
                               "mov %ebp, %edi\ncall own_writes\n" LEFT, "")
                            FUNCTION(
                                region_none,
                                "sub $8, %rsp\nlea region_nothing(%rip), %rdi\n"
                                "call GOMP_parallel@plt\nadd $8, %rsp\nret\n")
                                FUNCTION(region_nothing,
                                         "xor %eax, %eax\n" STORE "ret\n"));

__asm__(REGION(region_merges, "", PUT,
               "call GOMP_critical_start@plt\n"
               "addl $1, shared_word(%rip)\n"
               "call GOMP_critical_end@plt\n"));
__asm__(REGION(region_behind, "", PUT,
               "call GOMP_critical_start@plt\n"
               "call GOMP_critical_end@plt\n"
               "addl $1, shared_word(%rip)\n"));
__asm__(REGION(region_maybe, "", PUT,
               "cmpl $0, shared_word(%rip)\n"
               "je 8f\n"
               "call GOMP_critical_start@plt\n"
               "8: addl $1, shared_word(%rip)\n"
               "call GOMP_critical_end@plt\n"));
__asm__(REGION(region_lock, "", PUT,
               "call omp_set_lock@plt\n"
               "call omp_unset_lock@plt\n"));

#define SEEN(name) extern const char name[]
SEEN(region_plain);
SEEN(region_moves);
SEEN(region_carries);
SEEN(region_calls);
SEEN(region_keeps);
SEEN(region_pointer);
SEEN(region_passes);
SEEN(region_reads);
SEEN(region_writes);
SEEN(region_waits);
SEEN(region_uses);
SEEN(region_number);
SEEN(region_stores);
SEEN(region_barrier);
SEEN(region_counts);
SEEN(region_private);
SEEN(region_locks);
SEEN(region_merges);
SEEN(region_behind);
SEEN(region_maybe);
SEEN(region_lock);
SEEN(region_nothing);
SEEN(own_sum);
SEEN(own_waits);

static int take_base(struct dl_phdr_info *info, size_t size, void *base)
{
    (void)size;
    *(uint64_t *)base = info->dlpi_addr;
    return 1; /* the program is the first */
}

/* As the file has it. */
static uint64_t place(const char *function)
{
    uint64_t base = 0;
    dl_iterate_phdr(take_base, &base);
    return (uint64_t)(uintptr_t)function - base;
}

static struct reader_file file;

static int read_this(void **unused)
{
    struct error err;
    return reader_can() ? reader_read("/proc/self/exe", &file, &err) : 0;
}

static int free_this(void **unused)
{
    reader_free(&file);
    return 0;
}

static const struct reader_region *region(const char *function)
{
    if (!reader_can())
        skip();
    for (int64_t i = 0; i < file.regions; i++)
        if (file.region[i].at == place(function))
            return &file.region[i];
    fail_msg("a region was not found");
    return NULL;
}

static void is(const char *function, char class, const char *word)
{
    const struct reader_region *found = region(function);
    if (found->class != class || strcmp(found->word, word) != 0)
        fail_msg("%c %s, not %c %s", found->class, found->word, class, word);
}

static void two_calls_choose_the_block(void **unused)
{
    const struct reader_region *plain = region(region_plain);
    is(region_plain, 'A', "");
    assert_int_equal(plain->calls, 2);
    assert_true(plain->call[0] > plain->at && plain->call[1] > plain->at);
    assert_true(plain->call[1] - plain->at < 32);
}

static void what_each_iteration_has_of_itself_is_safe(void **unused)
{
    is(region_moves, 'A', "");
    is(region_carries, 'C', "state");
}

static void own_functions_are_followed(void **unused)
{
    is(region_calls, 'B', "");
    is(region_keeps, 'B', "");
    is(region_writes, 'B', "");
    is(region_reads, 'C', "state");
    is(region_passes, 'C', "state");
    is(region_pointer, 'C', "calls");
    is(region_waits, 'C', "calls");
}

static void a_number_that_is_used_is_seen(void **unused)
{
    is(region_uses, 'C', "number");
    assert_int_equal(region(region_uses)->calls, 2);
    is(region_number, '-', "number");
    assert_int_equal(region(region_number)->calls, 0);
}

static void what_each_thread_does_once_is_refused(void **unused)
{
    is(region_barrier, '-', "barrier");
    is(region_counts, '-', "threads");
    is(region_stores, '-', "threads");
    is(region_private, '-', "data");
    is(region_nothing, '-', "split");
}

static void a_critical_section_alone_can_be_asked_for(void **unused)
{
    is(region_locks, '-', "critical");
    is(region_merges, '-', "critical");
    assert_int_equal(region(region_merges)->calls, 2);
    is(region_behind, '-', "threads");
    is(region_maybe, '-', "threads");
    is(region_lock, '-', "lock");
    assert_int_equal(region(region_lock)->calls, 0);
}

static void a_closure_knows_what_it_touches(void **unused)
{
    struct binary *binary;
    struct error err;
    uint64_t writes;
    if (!reader_can())
        skip();
    assert_int_equal(binary_open("/proc/self/exe", &binary, &err), 0);
    struct code *code = code_open(binary);
    assert_true(closure_is_known(code, place(own_sum), &writes));
    const uint64_t used = 1 << REG_RAX | 1 << REG_RDI | 1 << REG_RSP;
    assert_int_equal(writes & 0xffff, used);
    assert_int_equal(code_note(code, place(own_sum))->reads & 0xffff, used);
    assert_false(closure_is_known(code, place(own_waits), &writes));
    code_close(code);
    binary_close(binary);
}

static void a_loop_in_a_function_is_a_cycle(void **unused)
{
    struct binary *binary;
    struct error err;
    struct graph graph;
    int in_cycle = 0;
    if (!reader_can())
        skip();
    assert_int_equal(binary_open("/proc/self/exe", &binary, &err), 0);
    struct code *code = code_open(binary);
    assert_int_equal(graph_build(code, place(own_sum), &graph), 0);
    assert_int_equal(graph.blocks, 4);
    bool in[] = {true, true, true, true};
    assert_int_equal(graph_find_cycles(&graph, in), 0);
    for (int32_t b = 0; b < graph.blocks; b++)
        in_cycle += graph.component[b] >= 0;
    assert_int_equal(in_cycle, 2);
    graph_free(&graph);
    /* Instead of a function's begin, one of its instructions: it is that. */
    struct binary_function function;
    assert_true(binary_function(binary, place(own_sum) + 2, &function));
    assert_int_equal(function.at, place(own_sum));
    code_close(code);
    binary_close(binary);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_calls_choose_the_block),
        cmocka_unit_test(what_each_iteration_has_of_itself_is_safe),
        cmocka_unit_test(own_functions_are_followed),
        cmocka_unit_test(a_number_that_is_used_is_seen),
        cmocka_unit_test(what_each_thread_does_once_is_refused),
        cmocka_unit_test(a_critical_section_alone_can_be_asked_for),
        cmocka_unit_test(a_closure_knows_what_it_touches),
        cmocka_unit_test(a_loop_in_a_function_is_a_cycle),
    };
    return cmocka_run_group_tests(tests, read_this, free_this);
}
#else
int main(void)
{
    return 0; /* there is nothing to read */
}
#endif
