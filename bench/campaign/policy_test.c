#include "harness/testing.h"

#include "bench/campaign/campaign.h"
#include "bench/campaign/policy.h"
#include "harness/check/worklist.h"

#include <stdio.h>
#include <stdlib.h>

static char *written(const struct policy *policy)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    policy_write(out, policy);
    fclose(out);
    return text;
}

/* Also through the worklist that the ranks read. */
static void no_setting_of_a_single_cell_is_lost(void **state)
{
    struct cell cell;
    cell_defaults(&cell, testing_texts());
    cell.kernel = "null:size=77";
    cell.scheme = "gss";
    for (const struct policy_key *key = policy_keys; key->name; key++) {
        struct campaign c;
        struct error err = {""};
        struct policy policy, usual;
        policy_defaults(&policy);
        policy_defaults(&usual);
        const char *value = key->kind == POLICY_SWITCH   ? "on"
                            : key->kind == POLICY_REAL   ? "0.75"
                            : key->kind == POLICY_EVENTS ? "cycles:u"
                                                         : "33";
        assert_int_equal(policy_set(&policy, key->name, value, &err), 0);
        assert_int_equal(campaign_single(&cell, &policy, &c, &err), 0);
        char *default_text = written(&usual), *given = written(&policy),
             *got = written(&c.policy);
        assert_string_not_equal(given, default_text);
        assert_string_equal(got, given);
        json_t *sent = policy_to_json(&c.policy);
        json_t *unset = policy_to_json(&usual);
        assert_false(json_equal(json_object_get(sent, key->name),
                                json_object_get(unset, key->name)));
        json_decref(sent);
        json_decref(unset);
        free(default_text);
        free(given);
        free(got);
        campaign_free(&c);
    }
}

TESTS(cmocka_unit_test(no_setting_of_a_single_cell_is_lost))
