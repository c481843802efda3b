/* Opens, runs and closes the libraries that are named, one after the other:
 * prints whether each is where the first one was, and what its loop found. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>

int main(int count, char **word)
{
    void *first = NULL;
    for (int i = 1; i < count; i++) {
        void *library = dlopen(word[i], RTLD_NOW | RTLD_LOCAL);
        void *found = library != NULL ? dlsym(library, "run") : NULL;
        if (found == NULL)
            return 8;
        first = i == 1 ? found : first;
        int wrong = ((int (*)(int))(intptr_t)found)(100);
        printf("%d %d\n", found == first, wrong > 0);
        dlclose(library);
    }
    return 0;
}
