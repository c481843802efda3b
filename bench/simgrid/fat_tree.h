/* A platform file with only one cluster, a fat tree: it can be cut to the first
 * hosts.  When SimGrid reads a fat tree, it compares each host with every
 * switch of the next level, even without ranks on it. */
#ifndef BENCH_SIMGRID_FAT_TREE_H
#define BENCH_SIMGRID_FAT_TREE_H

#include <stdbool.h>
#include <stddef.h>

struct fat_tree {
    char *text;          /* the file's content */
    size_t from, to;     /* the cluster's element, without "/>" or ">" */
    char **attributes;   /* the cluster's: name, value, ..., NULL */
    const char *radical; /* one of them: the numbers of its hosts */
    const char *prefix, *suffix; /* of hosts' names */
    const char *parameters;      /* the topology's, and in them the number */
    const char *children,
        *behind_children; /* of children of a switch of the last level */
    int *number;          /* by host, ascending */
    int hosts;
    int whole; /* hosts below each child of the last level */
};

/* Reads the file; true if it can be cut: its hosts are sorted by name, and
 * there are no other hosts, routes or files.  Otherwise *tree is empty: SimGrid
 * reads the file itself, or reports its errors. */
bool fat_tree_read(struct fat_tree *tree, const char *path);
void fat_tree_free(struct fat_tree *tree);

/* Writes the name of host i into name[size]; false if it does not fit. */
bool fat_tree_name(const struct fat_tree *tree, int i, char *name, size_t size);

/* The number of hosts of the smallest tree with the first `needed` hosts.  The
 * tree is cut between two children of its last level, so the rest keeps its
 * positions and routes.  SimGrid chooses links by the positions of both hosts,
 * and by the numbers of parents and of parallel links.  The number of children
 * of the last level does not matter. */
int fat_tree_fit(const struct fat_tree *tree, int needed);

/* The file's text for the first `hosts` hosts, a number from fat_tree_fit;
 * free() it. */
char *fat_tree_cut(const struct fat_tree *tree, int hosts);

#endif
