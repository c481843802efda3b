/* In dlsbench-sim-smpi.so, too (smpi.c): a message finds what it matches in a
 * mailbox, and leaves it, without touching all others that wait there.
 *
 * SimGrid 3.32 keeps messages that nobody has received yet, and receives that
 * no message has come for, in one list, in the order in which they came.  Below
 * a busy master thousands wait.  A receive asks SMPI of each message whether
 * they match, which reads both from memory; a send does so with each receive,
 * and passes all messages to find them.  What is found is taken out by copying
 * all later ones, each with its count of references.  That was most of the time
 * of such a simulation.
 *
 * Here a list beside SimGrid's has the tag and the source of each, and SMPI is
 * asked of those that may match, in the same order; of what is taken out only
 * pointers move, on the shorter side.
 *
 * The classes are SimGrid's own, which no installed header has; these are their
 * members in 3.32.  With another version, built or loaded, SimGrid goes on as
 * it does. */
#include <simgrid/s4u/Mailbox.hpp>
#include <simgrid/version.h>
#if SIMGRID_VERSION == 33200
#include <boost/circular_buffer.hpp>
#include <boost/intrusive_ptr.hpp>
#include <smpi/smpi.h>
#include <xbt/string.hpp>

#include <algorithm>
#include <dlfcn.h>
#include <functional>
#include <string>
#include <unordered_map>

namespace simgrid
{
namespace smpi
{
class F2C
{
    int id_;
    bool deleted_;
    std::string location_;

  public:
    virtual ~F2C();
};

/* Its first members. */
class Request : public F2C
{
    void *buf_, *old_buf_, *type_;
    size_t size_;

  public:
    aid_t src_, dst_;
    int tag_;
};
} // namespace smpi

namespace kernel::activity
{
enum class CommImplType { SEND, RECEIVE };

class CommImpl
{
  public:
    CommImpl &set_mailbox(MailboxImpl *mailbox);
};

void intrusive_ptr_add_ref(ActivityImpl *activity);
void intrusive_ptr_release(ActivityImpl *activity);

/* A CommImpl begins with its ActivityImpl. */
static void intrusive_ptr_add_ref(CommImpl *comm)
{
    intrusive_ptr_add_ref(reinterpret_cast<ActivityImpl *>(comm));
}

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
    void push(Message comm);
    void remove(const Message &comm);
    Message find_matching_comm(CommImplType type, const Match &match,
                               void *data, const Message &mine, bool done,
                               bool remove);
};

/* ---- what waits ---- */

/* Of a send or a receive. */
struct Key {
    aid_t source;
    int tag;
    CommImplType type;
};

/* What SMPI is asked with. */
struct Asked {
    void *request;
    bool (*match)(void *, void *, CommImpl *);
};

/* No memory before something waits, and none given back. */
template <class Item> using Ring = boost::circular_buffer<Item>;

template <class Item> static void put(Ring<Item> &ring, const Item &item)
{
    if (ring.full())
        ring.set_capacity(2 * ring.capacity() + 2);
    ring.push_back(item);
}

template <class Item> static void take_out(Ring<Item> &ring, size_t i)
{
    if (i < ring.size() / 2)
        ring.rerase(ring.begin() + (long)i);
    else
        ring.erase(ring.begin() + (long)i);
}

/* Beside a mailbox's list, in its order.  When something came or went
 * otherwise, as when a simulation ends, SimGrid looks itself until its list is
 * empty. */
struct Waiting {
    Ring<Key> keys;
    Ring<Asked> asked;
    size_t count[2] = {0, 0}; /* by type */
    bool lost = false;

    void add(const Key &key, const Asked &one)
    {
        put(keys, key);
        put(asked, one);
        count[(int)key.type]++;
    }

    void drop(size_t i)
    {
        count[(int)keys[i].type]--;
        take_out(keys, i);
        take_out(asked, i);
    }

    /* Before anything is done with the list: whether this is beside it. */
    bool holds(size_t size)
    {
        lost = size > 0 && (lost || keys.size() != size);
        if (!keys.empty() && (size == 0 || lost)) {
            keys.clear();
            asked.clear();
            count[0] = count[1] = 0;
        }
        return !lost;
    }
};

/* The one that looked last: it waits where it found nothing. */
struct Looked {
    const CommImpl *comm = nullptr;
    Key key;
    Asked asked;
};

/* SimGrid's classes have no room for it.  SimGrid calls from one thread. */
struct Beside {
    std::unordered_map<const MailboxImpl *, Waiting> waiting;
    Looked looked;
};

static Beside &beside()
{
    static Beside all;
    return all;
}

/* What SMPI says no to at once (Request::match_common). */
static bool may_match(const Key &a, const Key &b)
{
    const Key &send = a.type == CommImplType::SEND ? a : b;
    const Key &receive = a.type == CommImplType::SEND ? b : a;
    return (receive.tag == send.tag || receive.tag == MPI_ANY_TAG) &&
           (receive.source == send.source || receive.source == MPI_ANY_SOURCE);
}

/* ---- in SimGrid's place ---- */

template <class Function> static Function next(const char *name)
{
    return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

using Find = Message (*)(MailboxImpl *, CommImplType, const Match &, void *,
                         const Message &, bool, bool);

static bool is_loaded()
{
    int major, minor, patch;
    sg_version_get(&major, &minor, &patch);
    return major == 3 && minor == 32 && patch == 0;
}

static bool is_known()
{
    static const bool known = is_loaded();
    return known;
}

/* Only pointers move: none is copied with its count. */
static void take_out(Messages &list, size_t i)
{
    auto at = list.begin() + (long)i;
    if (i < list.size() / 2) {
        std::move_backward(list.begin(), at, at + 1);
        list.pop_front();
    } else {
        std::move(at + 1, list.end(), at);
        list.pop_back();
    }
}

void MailboxImpl::push(Message comm)
{
    static const auto push = next<void (*)(MailboxImpl *, Message)>(
        "_ZN7simgrid6kernel8activity11MailboxImpl4pushEN5boost13intrusive_ptrI"
        "NS1_8CommImplEEE");
    Looked &looked = beside().looked;
    if (is_known() && comm.get() == looked.comm) {
        Waiting &waiting = beside().waiting[this];
        if (waiting.holds(comm_queue_.size()))
            waiting.add(looked.key, looked.asked);
    }
    looked.comm = nullptr;
    push(this, std::move(comm));
}

void MailboxImpl::remove(const Message &comm)
{
    static const auto remove = next<void (*)(MailboxImpl *, const Message &)>(
        "_ZN7simgrid6kernel8activity11MailboxImpl6removeERKN5boost13"
        "intrusive_ptrINS1_8CommImplEEE");
    Waiting *waiting = is_known() ? &beside().waiting[this] : nullptr;
    if (waiting != nullptr && waiting->holds(comm_queue_.size())) {
        auto at = std::find(comm_queue_.begin(), comm_queue_.end(), comm);
        if (at != comm_queue_.end())
            waiting->drop((size_t)(at - comm_queue_.begin()));
    }
    remove(this, comm);
}

Message MailboxImpl::find_matching_comm(CommImplType type, const Match &match,
                                        void *data, const Message &mine,
                                        bool done, bool remove)
{
    static const auto find =
        next<Find>("_ZN7simgrid6kernel8activity11MailboxImpl18find_matching_"
                   "commENS1_12CommImplTypeERKSt8functionIFbPvS5_PNS1_"
                   "8CommImplEEES5_RKN5boost13intrusive_ptrIS6_EEbb");
    if (!is_known())
        return find(this, type, match, data, mine, done, remove);
    const auto *request = static_cast<const smpi::Request *>(data);
    Waiting &waiting = beside().waiting[this];
    Looked &looked = beside().looked;
    looked.comm = mine.get();
    looked.key = {request->src_, request->tag_,
                  type == CommImplType::SEND ? CommImplType::RECEIVE
                                             : CommImplType::SEND};
    const auto *function = match.target<bool (*)(void *, void *, CommImpl *)>();
    if (function == nullptr)
        looked.comm = nullptr;
    else
        looked.asked = {data, *function};
    if (done || function == nullptr || !waiting.holds(comm_queue_.size()))
        return find(this, type, match, data, mine, done, remove);
    size_t n = waiting.count[(int)type] > 0 ? waiting.keys.size() : 0;
    for (size_t i = 0; i < n; i++) {
        const Key &key = waiting.keys[i];
        if (key.type != type || !may_match(key, looked.key))
            continue;
        Message found = comm_queue_[i];
        const Asked &other = waiting.asked[i];
        if (!match(data, other.request, found.get()) ||
            !other.match(other.request, data, mine.get()))
            continue;
        found->set_mailbox(nullptr);
        if (remove) {
            take_out(comm_queue_, i);
            waiting.drop(i);
        }
        return found;
    }
    return nullptr;
}
} // namespace kernel::activity
} // namespace simgrid
#endif
