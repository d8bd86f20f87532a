/* OpenMP's threads, among which the work on large arrays is shared. */
#ifndef PROA_TEAM_H
#define PROA_TEAM_H

#include "_native.h"

/* OpenMP's functions (libgomp's), NULL where there are none. */
typedef struct {
    void (*parallel)(void (*part)(void *), void *data, unsigned threads, unsigned flags);
    int (*number)(void), (*count)(void);
} Team;

enum { WORTH_SHARING = 1 << 18 }; /* bytes that are read and written, from which on a second thread is worth its call */

/* What is done for `begin` up to `end` of what is counted; nothing of Python. */
typedef void (*Share)(void *data, Py_ssize_t begin, Py_ssize_t end);

/* Has a part done for each of `count`, by several threads where so many bytes are worth it; -1 with an error. */
HIDDEN int run_parts(Share part, void *data, Py_ssize_t count, Py_ssize_t bytes);
/* Finds the threads, which calls Python the first time: -1 with an error. */
HIDDEN int know_team(void);
/* `run_parts` while no other thread of Python runs; by this thread alone until the threads are known. */
HIDDEN void run_parts_undisturbed(Share part, void *data, Py_ssize_t count, Py_ssize_t bytes);
HIDDEN PyObject *serve_team(PyObject *module, PyObject *find);
extern HIDDEN const char serve_team_doc[];

#endif
