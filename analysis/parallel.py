"""Runs a function over items in a few forked processes, which see all data of
this one without copies.  Results come back pickled, in the items' order."""
import multiprocessing
import os


def share(function, items, out):
    try:
        out.send([function(item) for item in items])
    except Exception as error:  # goes on in the parent
        out.send(error)


def map_forked(function, items):
    """[function(item) for item in items]; the first error is raised again."""
    count = min(os.cpu_count() or 1, len(items))
    if count < 2:
        return [function(item) for item in items]
    context = multiprocessing.get_context("fork")
    started = []
    for k in range(count):
        end, out = context.Pipe(duplex=False)
        process = context.Process(target=share,
                                  args=(function, items[k::count], out))
        process.start()
        out.close()
        started.append((end, process))
    found = [None] * len(items)
    answers = [receive(end, process) for end, process in started]
    for k, answer in enumerate(answers):
        if isinstance(answer, Exception):
            raise answer
        found[k::count] = answer
    return found


def receive(end, process):
    try:
        return end.recv()
    except EOFError:
        process.join()
        return ChildProcessError("a process of this program died, exit code "
                                 f"{process.exitcode}")
    finally:
        process.join()
