/* In dlsbench-sim-smpi.so, too (smpi.c): a message that is received leaves its
 * mailbox without touching those that stay.
 *
 * SimGrid 3.32 keeps messages that nobody has received yet in the order in
 * which they were sent, and takes one out by copying all later ones one place
 * forward, with the count of references in each of them.  Below a busy master
 * thousands wait, and one of the first is received: that was two thirds of the
 * time of such a simulation.  Here only pointers move, on the shorter side.
 *
 * The class is SimGrid's own, which no installed header has; these are its
 * members in 3.32.  With another version, built or loaded, SimGrid goes on as
 * it does. */
#include <simgrid/s4u/Mailbox.hpp>
#include <simgrid/version.h>
#if SIMGRID_VERSION == 33200
#include <boost/circular_buffer.hpp>
#include <boost/intrusive_ptr.hpp>
#include <xbt/string.hpp>

#include <algorithm>
#include <dlfcn.h>
#include <functional>

namespace simgrid::kernel::activity
{
enum class CommImplType { SEND, RECEIVE };

void intrusive_ptr_release(ActivityImpl *activity);

/* Of a pointer that moves; none is copied here.  A CommImpl begins with its
 * ActivityImpl. */
static void intrusive_ptr_release(CommImpl *comm)
{
    intrusive_ptr_release(reinterpret_cast<ActivityImpl *>(comm));
}

using Message = boost::intrusive_ptr<CommImpl>;
using Messages = boost::circular_buffer_space_optimized<Message>;
using Match = std::function<bool(void *, void *, CommImpl *)>;

class MailboxImpl
{
    s4u::Mailbox piface_;
    xbt::string name_;
    void *permanent_receiver_;
    Messages comm_queue_, done_comm_queue_;

  public:
    Message find_matching_comm(CommImplType type, const Match &match,
                               void *data, const Message &mine, bool done,
                               bool remove);
};

using Find = Message (*)(MailboxImpl *, CommImplType, const Match &, void *,
                         const Message &, bool, bool);

static void take_out(Messages &list, Messages::iterator at)
{
    if (at - list.begin() < list.end() - at) {
        std::move_backward(list.begin(), at, at + 1);
        list.pop_front();
    } else {
        std::move(at + 1, list.end(), at);
        list.pop_back();
    }
}

static bool is_loaded()
{
    int major, minor, patch;
    sg_version_get(&major, &minor, &patch);
    return major == 3 && minor == 32 && patch == 0;
}

static Find find_next()
{
    return reinterpret_cast<Find>(
        dlsym(RTLD_NEXT, "_ZN7simgrid6kernel8activity11MailboxImpl18find_"
                         "matching_commENS1_12CommImplTypeERKSt8functionIFbPvS5"
                         "_PNS1_8CommImplEEES5_RKN5boost13intrusive_ptrIS6_"
                         "EEbb"));
}

Message MailboxImpl::find_matching_comm(CommImplType type, const Match &match,
                                        void *data, const Message &mine,
                                        bool done, bool remove)
{
    static const Find find = find_next();
    static const bool known = is_loaded();
    if (!remove || !known)
        return find(this, type, match, data, mine, done, remove);
    Message found = find(this, type, match, data, mine, done, false);
    Messages &list = done ? done_comm_queue_ : comm_queue_;
    if (found)
        take_out(list, std::find(list.begin(), list.end(), found));
    return found;
}
} // namespace simgrid::kernel::activity
#endif
