/* SPDX-License-Identifier: MIT */
#include "frames/numbered.h"

#include <ctype.h>
#include <dirent.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"

enum { MAX_DIGITS = 20 }; /* of a uint64_t */

void vks_numbered_free(struct vks_numbered *names)
{
    free(names->folder);
    free(names->before);
    free(names->after);
    *names = (struct vks_numbered){0};
}

/* Parses "d" or "0Nd" after a percent sign. Returns the end, or NULL. */
static const char *parse_directive(const char *text, int *digits)
{
    int min = 0;
    if (*text == '0') {
        text++;
        while (isdigit((unsigned char)*text) && min <= MAX_DIGITS) {
            min = min * 10 + (*text - '0');
            text++;
        }
        if (min == 0 || min > MAX_DIGITS) {
            return NULL;
        }
    }
    *digits = min > 0 ? min : 1;
    return *text == 'd' ? text + 1 : NULL;
}

/* Parsed here because a user's text must never be a printf format. */
enum vks_result vks_numbered_parse(const char *path, struct vks_numbered *names)
{
    const char *slash = strrchr(path, '/');
    const size_t folder_length = slash ? (size_t)(slash + 1 - path) : 0;
    const char *name = path + folder_length;
    *names = (struct vks_numbered){
        .folder = calloc(1, folder_length + 1),
        .before = calloc(1, strlen(name) + 1),
        .after = calloc(1, strlen(name) + 1),
    };
    if (!names->folder || !names->before || !names->after) {
        vks_numbered_free(names);
        return vks_fail_memory();
    }
    memcpy(names->folder, path, folder_length);
    char *to = names->before;
    while (*name) {
        if (name[0] == '%' && name[1] == '%') {
            name++;
        } else if (name[0] == '%') {
            name = names->digits == 0 ? parse_directive(name + 1, &names->digits) : NULL;
            if (!name) {
                vks_numbered_free(names);
                return vks_fail(VKS_ERROR_USAGE,
                                "the name '%s' may hold one %%d or %%0Nd (N from 1 to %d) for the "
                                "frame number; write %%%% for a percent sign",
                                path, MAX_DIGITS);
            }
            to = names->after;
            continue;
        }
        *to++ = *name++;
    }
    return VKS_OK;
}

char *vks_numbered_path(const struct vks_numbered *names, uint64_t number)
{
    if (names->digits == 0) {
        return vks_format("%s%s", names->folder, names->before);
    }
    return vks_format("%s%s%0*" PRIu64 "%s", names->folder, names->before, names->digits, number,
                      names->after);
}

/* Whether `name`, without a folder, belongs to a frame with a number below `frames`. */
static bool is_numbered(const struct vks_numbered *names, const char *name, uint64_t frames)
{
    const size_t before = strlen(names->before), after = strlen(names->after);
    const size_t length = strlen(name), min = (size_t)names->digits;
    if (length <= before + after || strncmp(name, names->before, before) != 0 ||
        strcmp(name + length - after, names->after) != 0) {
        return false;
    }
    const size_t digits = length - before - after;
    const char *first = name + before;
    if (digits < min || digits > MAX_DIGITS || (digits > min && first[0] == '0')) {
        return false;
    }
    uint64_t number = 0;
    for (size_t i = 0; i < digits; i++) {
        if (!isdigit((unsigned char)first[i])) {
            return false;
        }
        number = number * 10 + (uint64_t)(first[i] - '0');
    }
    return number < frames;
}

/* Sets *found to the path of a file of one of the first `frames` frames that suits (`suits` NULL:
 * of any), to be freed; to NULL if there is none, or if the folder cannot be listed. */
static enum vks_result find_file(const struct vks_numbered *names, uint64_t frames,
                                 bool (*suits)(const char *file, const char *path),
                                 const char *path, char **found)
{
    DIR *folder = opendir(names->folder[0] ? names->folder : ".");
    enum vks_result result = VKS_OK;
    const struct dirent *entry = NULL;
    *found = NULL;
    while (folder && result == VKS_OK && !*found && (entry = readdir(folder))) {
        if (!is_numbered(names, entry->d_name, frames)) {
            continue;
        }
        char *file = vks_format("%s%s", names->folder, entry->d_name);
        result = file ? VKS_OK : vks_fail_memory();
        if (file && (!suits || suits(file, path))) {
            *found = file;
        } else {
            free(file);
        }
    }
    if (folder) {
        closedir(folder);
    }
    return result;
}

enum vks_result vks_numbered_check_new(const struct vks_numbered *names, uint64_t frames)
{
    char *file;
    enum vks_result result = find_file(names, frames ? frames : UINT64_MAX, NULL, NULL, &file);
    if (file) {
        result = vks_fail_exists(file);
    }
    free(file);
    return result;
}

static bool is_link_to(const char *file, const char *path)
{
    struct stat info;
    return lstat(file, &info) == 0 && S_ISLNK(info.st_mode) && vks_is_same_file(file, path);
}

/* Whether a symbolic link among the files of the frames points to `path`. */
static bool has_link_to(const struct vks_numbered *names, const char *path)
{
    char *file;
    const bool found =
        find_file(names, UINT64_MAX, is_link_to, path, &file) == VKS_OK && file != NULL;
    free(file);
    return found;
}

bool vks_numbered_matches(const char *pattern, const char *path)
{
    struct vks_numbered names;
    const char *slash = strrchr(path, '/');
    if (vks_numbered_parse(pattern, &names) != VKS_OK) {
        return false;
    }
    char *folder = slash ? vks_format("%.*s", (int)(slash - path + 1), path) : NULL;
    const bool named =
        names.digits > 0 && is_numbered(&names, slash ? slash + 1 : path, UINT64_MAX) &&
        vks_is_same_file(names.folder[0] ? names.folder : ".", folder ? folder : ".");
    const bool matches = named || (names.digits > 0 && has_link_to(&names, path));
    free(folder);
    vks_numbered_free(&names);
    return matches;
}

static bool are_digits(const char *text, size_t length)
{
    bool digits = true;
    for (size_t i = 0; i < length; i++) {
        digits = digits && isdigit((unsigned char)text[i]);
    }
    return digits;
}

/* True if the longer text is the shorter one with digits before it (`ends`) or after it. */
static bool differ_by_digits(const char *a, const char *b, bool ends)
{
    const char *longer = strlen(a) > strlen(b) ? a : b, *shorter = longer == a ? b : a;
    const size_t more = strlen(longer) - strlen(shorter);
    return ends ? strcmp(longer + more, shorter) == 0 && are_digits(longer, more)
                : strncmp(longer, shorter, strlen(shorter)) == 0 &&
                      are_digits(longer + strlen(shorter), more);
}

bool vks_numbered_overlap(const char *a, const char *b)
{
    struct vks_numbered first, second;
    bool overlap = false;
    if (vks_numbered_parse(a, &first) != VKS_OK) {
        return false;
    }
    if (vks_numbered_parse(b, &second) == VKS_OK) {
        overlap = first.digits > 0 && second.digits > 0 &&
                  differ_by_digits(first.before, second.before, false) &&
                  differ_by_digits(first.after, second.after, true) &&
                  vks_is_same_file(first.folder[0] ? first.folder : ".",
                                   second.folder[0] ? second.folder : ".");
        vks_numbered_free(&second);
    }
    vks_numbered_free(&first);
    return overlap;
}
