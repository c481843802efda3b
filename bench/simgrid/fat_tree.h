/* A platform file that has one cluster, a fat tree, and nothing else: it can be
 * cut to the first hosts.  When SimGrid reads a fat tree, it compares each host
 * with every switch of the next level, whether ranks are on it or not. */
#ifndef BENCH_SIMGRID_FAT_TREE_H
#define BENCH_SIMGRID_FAT_TREE_H

#include <stdbool.h>
#include <stddef.h>

struct fat_tree {
    char *text;          /* of the file */
    size_t from, to;     /* the cluster's element in it, but "/>" or ">" */
    char **attributes;   /* of the cluster: name, value, ..., NULL */
    const char *radical; /* among them: the numbers of its hosts */
    const char *prefix, *suffix; /* of hosts' names */
    const char *parameters;      /* of the topology, and in them the number */
    const char *children,
        *behind_children; /* below a switch of the last level */
    int *number;          /* of each host, ascending */
    int hosts;
    int whole; /* hosts below each child of the last level */
};

/* Reads the file; true if it can be cut: its hosts are in the order of their
 * names, and there are no other hosts, routes or files.  Otherwise *tree is
 * empty: SimGrid reads the file itself, or reports its errors. */
bool fat_tree_read(struct fat_tree *tree, const char *path);
void fat_tree_free(struct fat_tree *tree);

/* Writes the name of host i into name[size]; false when it does not fit. */
bool fat_tree_name(const struct fat_tree *tree, int i, char *name, size_t size);

/* The number of hosts of the smallest tree with the first `needed` hosts.  The
 * tree is cut between two children of its last level, so the rest keeps its
 * place and its routes.  SimGrid chooses links by the places of both hosts, and
 * by the numbers of parents and of parallel links.  The number of children of
 * the last level does not matter. */
int fat_tree_fit(const struct fat_tree *tree, int needed);

/* The file's text for the first `hosts`, as fat_tree_fit returns them; free()
 * it. */
char *fat_tree_cut(const struct fat_tree *tree, int hosts);

#endif
