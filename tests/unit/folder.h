/* SPDX-License-Identifier: MIT */
/* A temporary folder of a test program, and files in it. To be included after cmocka.h. */
#ifndef VKS_TESTS_FOLDER_H
#define VKS_TESTS_FOLDER_H

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"

static char folder[512];

/* Makes it, with a name that has `word` in it. */
static inline int create_folder(const char *word)
{
    const char *base = getenv("TMPDIR");
    snprintf(folder, sizeof(folder), "%s/vksim-%s-XXXXXX", base ? base : "/tmp", word);
    return mkdtemp(folder) ? 0 : -1;
}

static inline int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder);
}

/* FOLDER/NAME; the last sixteen results stay valid. */
static inline const char *in_folder(const char *name)
{
    static char paths[16][1024];
    static unsigned turn;
    char *path = paths[turn++ % 16];
    snprintf(path, sizeof(paths[0]), "%s/%s", folder, name);
    return path;
}

/* Counts the files in the folder, and optionally removes them. */
static inline int count_files(bool clear)
{
    int count = 0;
    DIR *entries = opendir(folder);
    assert_non_null(entries);
    const struct dirent *entry = NULL;
    while ((entry = readdir(entries))) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) {
            continue;
        }
        count++;
        if (clear) {
            assert_int_equal(remove(in_folder(entry->d_name)), 0);
        }
    }
    closedir(entries);
    return count;
}

static inline bool exists(const char *path)
{
    struct stat info;
    return lstat(path, &info) == 0;
}

static inline void put(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
}

/* The bytes of a file, which the caller frees. */
static inline char *get(const char *path, size_t *size)
{
    char *bytes = NULL;
    if (vks_read_file(path, 1 << 26, &bytes, size) != VKS_OK) {
        fail_msg("%s", vks_error_text());
    }
    return bytes;
}

static inline void assert_holds(const char *path, const char *expected)
{
    size_t size = 0;
    char *bytes = get(path, &size);
    assert_int_equal(size, strlen(expected));
    assert_string_equal(bytes, expected);
    free(bytes);
}

static inline void assert_says(const char *words)
{
    if (!strstr(vks_error_text(), words)) {
        fail_msg("'%s' does not say '%s'", vks_error_text(), words);
    }
}

#endif
