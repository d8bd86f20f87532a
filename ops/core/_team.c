/* OpenMP's threads for loops over large arrays: found when they are first wanted. */
#include "_team.h"

#include <stdint.h>
#include <string.h>

static PyObject *find_team;
static const int *threads_now;
static Team team;

const char serve_team_doc[] =
    "serve_team($module, find, /)\n--\n\n"
    "Takes a function that tells where the number of threads and OpenMP's functions are, as pack_weight takes them: it is\n"
    "called when threads are first wanted.";

PyObject *serve_team(PyObject *module, PyObject *find) {
    Py_XSETREF(find_team, Py_NewRef(find));
    threads_now = NULL;
    Py_RETURN_NONE;
}

/* Calls what tells of the threads: -1 with an error. */
static int ask(void) {
    unsigned long long at, functions[3];
    static const int one = 1;
    PyObject *found = find_team ? PyObject_CallNoArgs(find_team) : NULL;
    if (!found) {
        if (PyErr_Occurred()) return -1;
        threads_now = &one;
        return 0;
    }
    int fits = PyArg_ParseTuple(found, "K(KKK)", &at, &functions[0], &functions[1], &functions[2]);
    Py_DECREF(found);
    if (!fits) return -1;
    memcpy(&team, functions, sizeof team);
    threads_now = at && team.parallel && team.number && team.count ? (const int *)(uintptr_t)at : &one;
    return 0;
}

typedef struct {
    Share part;
    void *data;
    Py_ssize_t count;
} Shared;

static void share(void *of) {
    const Shared *all = of;
    Py_ssize_t number = team.number(), threads = team.count();
    all->part(all->data, all->count * number / threads, all->count * (number + 1) / threads);
}

int know_team(void) { return threads_now ? 0 : ask(); }

void run_parts_undisturbed(Share part, void *data, Py_ssize_t count, Py_ssize_t bytes) {
    Shared all = {part, data, count};
    if (bytes >= WORTH_SHARING && threads_now && *threads_now > 1)
        team.parallel(share, &all, (unsigned)*threads_now, 0);
    else part(data, 0, count);
}

int run_parts(Share part, void *data, Py_ssize_t count, Py_ssize_t bytes) {
    if (bytes >= WORTH_SHARING && know_team() < 0) return -1;
    if (bytes < WORTH_SHARING) part(data, 0, count);
    else {
        Py_BEGIN_ALLOW_THREADS
        run_parts_undisturbed(part, data, count, bytes);
        Py_END_ALLOW_THREADS
    }
    return 0;
}
