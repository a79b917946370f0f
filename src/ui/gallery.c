/* SPDX-License-Identifier: MIT */
#include "ui/gallery.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/log.h"
#include "base/memory.h"
#include "frames/sink.h"
#include "io/image.h"

enum {
    MAX_SAME_NAMES = 1000,
    MAX_PIXELS = 1 << 25, /* of a picture that is decoded for its thumbnail */
    MAX_DIRS_BYTES = 1 << 20,
};

/* A picture that is shown, or was: the panel may still hold its strings and pixels. */
struct picture {
    struct picture *next;
    char *path, *name, *words;
    char preset[64];
    bool is_video;
    uint8_t rgba[VKS_THUMB_BYTES];
};

/* A file of the folder that is still to be read. */
struct found {
    char *path;
    struct timespec time;
};

struct vks_gallery {
    char *folders[2]; /* by enum vks_media */
    struct picture *all;
    struct picture *shown[VKS_MAX_GALLERY];
    struct vks_gallery_item items[VKS_MAX_GALLERY]; /* of those */
    size_t count;
    uint32_t last_id;
    bool listed;
    struct found *found; /* newest first */
    size_t found_count, done;
};

/* --- folders and names ----------------------------------------------------------------------- */

static const struct {
    const char *variable, *fallback, *name;
} kinds[] = {
    [VKS_PICTURES] = {"XDG_PICTURES_DIR", "Pictures", "pictures"},
    [VKS_VIDEOS] = {"XDG_VIDEOS_DIR", "Videos", "videos"},
};

/* The value of a line such as XDG_PICTURES_DIR="$HOME/Bilder", a heap string; NULL: another line.
 */
static char *read_line(const char *line, const char *variable)
{
    static const char equals[] = "=\"", home_name[] = "$HOME/";
    char value[PATH_MAX];
    size_t size = 0;
    line += strspn(line, " \t");
    if (strncmp(line, variable, strlen(variable)) != 0 ||
        strncmp(line + strlen(variable), equals, strlen(equals)) != 0) {
        return NULL;
    }
    line += strlen(variable) + strlen(equals);
    const bool in_home = strncmp(line, home_name, strlen(home_name)) == 0;
    line += in_home ? strlen(home_name) : 0;
    for (; *line && *line != '"' && size < sizeof(value) - 1; line++) {
        line += *line == '\\' && line[1] ? 1 : 0;
        value[size++] = *line;
    }
    value[size] = '\0';
    return in_home           ? vks_format("%s/%s", getenv("HOME"), value)
           : value[0] == '/' ? vks_strdup(value)
                             : NULL;
}

/* The folder that the user has chosen, a heap string; NULL: none. */
static char *read_user_dirs(const char *variable)
{
    char *configuration = NULL, *text = NULL, *rest = NULL, *chosen = NULL;
    if (vks_user_folder("XDG_CONFIG_HOME", ".config", &configuration) != VKS_OK) {
        return NULL;
    }
    char *path = vks_format("%s/user-dirs.dirs", configuration);
    if (path && vks_read_regular_file(path, MAX_DIRS_BYTES, &text, NULL) == VKS_OK) {
        for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
            char *value = read_line(line, variable);
            if (value) {
                free(chosen);
                chosen = value;
            }
        }
    }
    free(text);
    free(path);
    free(configuration);
    return chosen;
}

enum vks_result vks_media_folder(enum vks_media media, char **folder)
{
    const char *variable = kinds[media].variable;
    const char *own = getenv(variable), *home = getenv("HOME");
    const bool has_home = home && home[0] == '/';
    char *found = has_home && !(own && own[0] == '/') ? read_user_dirs(variable) : NULL;
    const enum vks_result result =
        found ? VKS_OK : vks_user_folder(variable, kinds[media].fallback, &found);
    if (result != VKS_OK) {
        return result;
    }
    *folder = vks_format("%s/vksim", found);
    free(found);
    return *folder ? VKS_OK : vks_fail_memory();
}

char *vks_free_name(const char *base, const char *end)
{
    const size_t stem = strcspn(end, ".");
    char *name = vks_format("%s%s", base, end);
    for (int i = 2; name && i <= MAX_SAME_NAMES && access(name, F_OK) == 0; i++) {
        free(name);
        name = vks_format("%s%.*s-%d%s", base, (int)stem, end, i, end + stem);
    }
    return name;
}

char *vks_picture_name(const char *folder, const char *model, const char *preset, uint64_t seed,
                       uint64_t step, const char *end)
{
    char *base = vks_format("%s/%s-%s-s%" PRIu64 "-%06" PRIu64, folder, model, preset, seed, step);
    char *name = base ? vks_free_name(base, end) : NULL;
    free(base);
    return name;
}

const char *vks_gallery_folder(struct vks_gallery *gallery, enum vks_media media)
{
    char **folder = &gallery->folders[media];
    if (*folder) {
        return *folder;
    }
    enum vks_result result = vks_media_folder(media, folder);
    const int error = result == VKS_OK ? vks_make_folders(*folder) : 0;
    if (error || (*folder && access(*folder, W_OK | X_OK) != 0)) {
        result = vks_fail_write(*folder, error ? error : errno);
    }
    if (result == VKS_ERROR_FILE) {
        vks_message(VKS_LOG_WARNING, "%s; %s are saved in the current folder", vks_error_text(),
                    kinds[media].name);
        free(*folder);
        *folder = vks_strdup(".");
    }
    return *folder;
}

/* --- trash ----------------------------------------------------------------------------------- */

/* The content of a .trashinfo file, a heap string; NULL if memory ran out. */
static char *describe_trash(const char *path)
{
    char date[32], *coded = malloc(3 * strlen(path) + 1), *end = coded;
    const time_t now = time(NULL);
    struct tm local;
    if (!coded) {
        return NULL;
    }
    for (const char *at = path; *at; at++) {
        const unsigned char byte = (unsigned char)*at;
        const bool plain = byte < 128 && (isalnum(byte) || strchr("/-_.~", byte));
        end += sprintf(end, plain ? "%c" : "%%%02X", byte);
    }
    *end = '\0';
    strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%S", localtime_r(&now, &local));
    char *text = vks_format("[Trash Info]\nPath=%s\nDeletionDate=%s\n", coded, date);
    free(coded);
    return text;
}

/* Takes the first free name in the trash by its .trashinfo file: *info and *target are the paths
 * there, heap strings. Returns a file to write to, or -1 with an errno. */
static int take_name(const char *trash, const char *name, char **info, char **target)
{
    const char *dot = strrchr(name, '.');
    const int stem = (int)(dot ? (size_t)(dot - name) : strlen(name));
    char more[16] = "";
    for (int i = 2; i <= MAX_SAME_NAMES; i++) {
        struct stat there;
        *info = vks_format("%s/info/%.*s%s%s.trashinfo", trash, stem, name, more, name + stem);
        *target = vks_format("%s/files/%.*s%s%s", trash, stem, name, more, name + stem);
        errno = ENOMEM;
        const bool is_free = *info && *target && lstat(*target, &there) != 0 && errno == ENOENT;
        const int file = is_free ? vks_open(*info, O_WRONLY | O_CREAT | O_EXCL, 0600) : -1;
        if (file >= 0 || !*info || !*target || (is_free && errno != EEXIST)) {
            return file;
        }
        free(*info);
        free(*target);
        *info = *target = NULL;
        snprintf(more, sizeof(more), "-%d", i);
    }
    errno = EEXIST;
    return -1;
}

/* Returns 0 or an errno. */
static int move_to_trash(const char *trash, const char *path, const char *text)
{
    char *info = NULL, *target = NULL;
    const int file = take_name(trash, strrchr(path, '/') + 1, &info, &target);
    int error = file >= 0 ? vks_write_all(file, text, strlen(text)) : errno;
    if (file >= 0 && close(file) != 0 && !error) {
        error = errno;
    }
    if (!error && rename(path, target) != 0) {
        error = errno;
    }
    if (file >= 0 && error) {
        unlink(info);
    }
    free(info);
    free(target);
    return error;
}

/* Makes the trash with its two folders. Returns 0 or an errno. */
static int make_trash(const char *trash)
{
    char *files = vks_format("%s/files", trash), *info = vks_format("%s/info", trash);
    int error = files && info ? vks_make_folders(files) : ENOMEM;
    error = error ? error : vks_make_folders(info);
    free(files);
    free(info);
    return error;
}

/* The absolute path of a file, whose links are not followed; a heap string. NULL with errno. */
static char *absolute(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder = vks_folder_of(path);
    errno = ENOMEM;
    char *real = folder ? realpath(folder, NULL) : NULL;
    char *whole = real ? vks_format("%s/%s", real, slash ? slash + 1 : path) : NULL;
    free(real);
    free(folder);
    return whole;
}

enum vks_result vks_trash(const char *path)
{
    char *data = NULL;
    enum vks_result result = vks_user_folder("XDG_DATA_HOME", ".local/share", &data);
    if (result != VKS_OK) {
        return result;
    }
    char *trash = vks_format("%s/Trash", data), *whole = absolute(path);
    int error = whole ? 0 : errno;
    char *text = whole ? describe_trash(whole) : NULL;
    error = error ? error : !trash || !text ? ENOMEM : make_trash(trash);
    error = error ? error : move_to_trash(trash, whole, text);
    if (error) {
        result = vks_fail(VKS_ERROR_FILE, "'%s' stays, because it cannot be moved to the trash: %s",
                          path, error == EXDEV ? "that is on another disk" : vks_errno_text(error));
    }
    free(text);
    free(whole);
    free(trash);
    free(data);
    return result;
}

/* --- pictures -------------------------------------------------------------------------------- */

enum vks_result vks_gallery_create(struct vks_gallery **gallery)
{
    *gallery = calloc(1, sizeof(**gallery));
    return *gallery ? VKS_OK : vks_fail_memory();
}

static void free_picture(struct picture *picture)
{
    if (picture) {
        free(picture->path);
        free(picture->name);
        free(picture->words);
        free(picture);
    }
}

void vks_gallery_destroy(struct vks_gallery *gallery)
{
    if (!gallery) {
        return;
    }
    while (gallery->all) {
        struct picture *next = gallery->all->next;
        free_picture(gallery->all);
        gallery->all = next;
    }
    for (size_t i = gallery->done; i < gallery->found_count; i++) {
        free(gallery->found[i].path);
    }
    free(gallery->found);
    free(gallery->folders[VKS_PICTURES]);
    free(gallery->folders[VKS_VIDEOS]);
    free(gallery);
}

/* The mean colours of squares of the picture's middle. */
void vks_make_thumb(const uint8_t *rgba, uint32_t width, uint32_t height, uint8_t *thumb)
{
    const uint64_t side = width < height ? width : height;
    const uint8_t *corner = rgba + ((height - side) / 2 * (uint64_t)width + (width - side) / 2) * 4;
    for (uint64_t i = 0; i < (uint64_t)VKS_THUMB_SIDE * VKS_THUMB_SIDE; i++) {
        const uint64_t x = i % VKS_THUMB_SIDE * side / VKS_THUMB_SIDE;
        const uint64_t y = i / VKS_THUMB_SIDE * side / VKS_THUMB_SIDE;
        const uint64_t step = side > VKS_THUMB_SIDE ? side / VKS_THUMB_SIDE : 1;
        uint64_t sums[3] = {0};
        for (uint64_t n = 0; n < step * step; n++) {
            const uint8_t *pixel = corner + ((y + n / step) * width + x + n % step) * 4;
            for (int c = 0; c < 3; c++) {
                sums[c] += pixel[c];
            }
        }
        for (int c = 0; c < 3; c++) {
            thumb[4 * i + (uint64_t)c] = (uint8_t)((sums[c] + step * step / 2) / (step * step));
        }
        thumb[4 * i + 3] = 255;
    }
}

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Sets the picture's strings, from its scene and the name that vks_picture_name() gave it. */
static enum vks_result describe(struct picture *picture, const char *path, const json_t *scene,
                                uint32_t width, uint32_t height)
{
    const char *file = file_name(path);
    const char *model = json_string_value(json_object_get(scene, "simulation"));
    uint64_t step = (uint64_t)json_integer_value(json_object_get(scene, "steps"));
    const size_t length = strlen(model);
    const bool is_named = strncmp(file, model, length) == 0 && file[length] == '-';
    const char *preset = is_named ? file + length + 1 : "", *mark = strstr(preset, "-s");
    for (; mark; mark = strstr(mark + 1, "-s")) {
        uint64_t seed, named;
        if (sscanf(mark, "-s%" SCNu64 "-%" SCNu64, &seed, &named) == 2) {
            snprintf(picture->preset, sizeof(picture->preset), "%.*s", (int)(mark - preset),
                     preset);
            step = named;
            break;
        }
    }
    picture->path = vks_strdup(path);
    picture->name = vks_strdup(picture->preset[0] ? picture->preset : file);
    picture->words = picture->is_video
                         ? vks_format("%s, video up to step %" PRIu64 ": %s", model, step, file)
                         : vks_format("%s, step %" PRIu64 ", %" PRIu32 " x %" PRIu32 ": %s", model,
                                      step, width, height, file);
    return picture->path && picture->name && picture->words ? VKS_OK : vks_fail_memory();
}

/* Puts the picture, which it takes, at a place among those shown. `has_image`: it has pixels. */
static void insert(struct vks_gallery *gallery, size_t index, struct picture *picture,
                   bool has_image)
{
    const size_t behind =
        gallery->count - index - (gallery->count == VKS_MAX_GALLERY ? (size_t)1 : 0);
    memmove(&gallery->items[index + 1], &gallery->items[index], behind * sizeof(*gallery->items));
    memmove(&gallery->shown[index + 1], &gallery->shown[index], behind * sizeof(*gallery->shown));
    gallery->count = index + 1 + behind;
    picture->next = gallery->all;
    gallery->all = gallery->shown[index] = picture;
    gallery->items[index] = (struct vks_gallery_item){.name = picture->name,
                                                      .words = picture->words,
                                                      .is_video = picture->is_video,
                                                      .id = ++gallery->last_id};
    if (has_image) {
        gallery->items[index].image =
            (struct vks_thumb){picture->rgba, VKS_THUMB_SIDE, VKS_THUMB_SIDE, gallery->last_id};
    }
}

/* The scene of a file as a new reference; NULL: it is not one of vksim's. */
static json_t *read_scene(const char *path)
{
    char *text;
    json_error_t error;
    if (vks_sink_scene(path, &text) != VKS_OK) {
        return NULL;
    }
    json_t *scene = vks_json_load(text, strlen(text), 0, &error);
    free(text);
    if (!json_is_string(json_object_get(scene, "simulation"))) {
        json_decref(scene);
        return NULL;
    }
    return scene;
}

/* Adds a file at a place if it is a picture or a video of vksim's. Without `rgba` it is decoded. */
static enum vks_result add(struct vks_gallery *gallery, size_t index, const char *path,
                           const uint8_t *rgba, uint32_t width, uint32_t height)
{
    json_t *scene = read_scene(path);
    uint8_t *own = NULL;
    if (!scene) {
        return VKS_OK;
    }
    uint32_t full_width = 0, full_height = 0;
    const bool is_video = vks_has_extension(path, ".mp4");
    if (!is_video) {
        (void)vks_image_size(path, &full_width, &full_height);
    }
    if (!rgba && !is_video && (uint64_t)full_width * full_height <= MAX_PIXELS) {
        (void)vks_image_rgba(path, &width, &height, &own);
    } else if (!rgba && is_video) {
        (void)vks_sink_picture(path, &width, &height, &own);
    }
    struct picture *picture = calloc(1, sizeof(*picture));
    if (picture) {
        picture->is_video = is_video;
    }
    const enum vks_result result =
        picture ? describe(picture, path, scene, full_width, full_height) : vks_fail_memory();
    if (result == VKS_OK) {
        const uint8_t *pixels = rgba ? rgba : own;
        if (pixels) {
            vks_make_thumb(pixels, width, height, picture->rgba);
        }
        insert(gallery, index, picture, pixels != NULL);
    } else {
        free_picture(picture);
    }
    free(own);
    json_decref(scene);
    return result;
}

enum vks_result vks_gallery_add(struct vks_gallery *gallery, const char *path, const uint8_t *rgba,
                                uint32_t width, uint32_t height)
{
    return add(gallery, 0, path, rgba, width, height);
}

/* --- the folder ------------------------------------------------------------------------------ */

static int by_age(const void *a, const void *b)
{
    const struct found *left = a, *right = b;
    const struct timespec *x = &left->time, *y = &right->time;
    return x->tv_sec != y->tv_sec     ? (x->tv_sec < y->tv_sec ? 1 : -1)
           : x->tv_nsec != y->tv_nsec ? (x->tv_nsec < y->tv_nsec ? 1 : -1)
                                      : strcmp(right->path, left->path);
}

static bool is_shown(const struct vks_gallery *gallery, const char *path)
{
    for (size_t i = 0; i < gallery->count; i++) {
        if (strcmp(gallery->shown[i]->path, path) == 0) {
            return true;
        }
    }
    return false;
}

/* Adds a file of the folder to those to be read if it may be one that is not shown. */
static enum vks_result find_file(struct vks_gallery *gallery, const char *folder, const char *name,
                                 size_t *capacity)
{
    struct stat info;
    if (!vks_has_extension(name, ".png") && !vks_has_extension(name, ".mp4")) {
        return VKS_OK;
    }
    char *path = vks_format("%s/%s", folder, name);
    struct found *found =
        path ? vks_grow(gallery->found, sizeof(*found), gallery->found_count, capacity) : NULL;
    if (!found) {
        free(path);
        return vks_fail_memory();
    }
    gallery->found = found;
    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode) || is_shown(gallery, path)) {
        free(path);
        return VKS_OK;
    }
    found[gallery->found_count++] = (struct found){path, info.st_mtim};
    return VKS_OK;
}

static enum vks_result list_folder(struct vks_gallery *gallery, const char *folder,
                                   size_t *capacity)
{
    DIR *files = folder ? opendir(folder) : NULL;
    enum vks_result result = folder ? VKS_OK : vks_fail_memory();
    const struct dirent *entry;
    while (files && result == VKS_OK && (entry = readdir(files))) {
        result = find_file(gallery, folder, entry->d_name, capacity);
    }
    if (files) {
        closedir(files);
    }
    return result;
}

static enum vks_result list_folders(struct vks_gallery *gallery)
{
    const char *pictures = vks_gallery_folder(gallery, VKS_PICTURES);
    const char *videos = vks_gallery_folder(gallery, VKS_VIDEOS);
    size_t capacity = 0;
    enum vks_result result = list_folder(gallery, pictures, &capacity);
    gallery->listed = true;
    if (result == VKS_OK && !(videos && strcmp(pictures, videos) == 0)) {
        result = list_folder(gallery, videos, &capacity);
    }
    if (gallery->found_count > 1) {
        qsort(gallery->found, gallery->found_count, sizeof(*gallery->found), by_age);
    }
    return result;
}

enum vks_result vks_gallery_read(struct vks_gallery *gallery, double seconds)
{
    const double end = vks_seconds() + seconds;
    enum vks_result result = gallery->listed ? VKS_OK : list_folders(gallery);
    while (result == VKS_OK && !vks_gallery_is_read(gallery)) {
        char *path = gallery->found[gallery->done++].path;
        /* It may be one that was saved since. */
        result = is_shown(gallery, path) ? VKS_OK : add(gallery, gallery->count, path, NULL, 0, 0);
        free(path);
        if (vks_seconds() > end) {
            break;
        }
    }
    return result;
}

bool vks_gallery_is_read(const struct vks_gallery *gallery)
{
    return gallery->listed &&
           (gallery->done == gallery->found_count || gallery->count == VKS_MAX_GALLERY);
}

enum vks_result vks_gallery_delete(struct vks_gallery *gallery, size_t index)
{
    const enum vks_result result = vks_trash(gallery->shown[index]->path);
    if (result == VKS_OK) {
        const size_t behind = --gallery->count - index;
        memmove(&gallery->items[index], &gallery->items[index + 1],
                behind * sizeof(*gallery->items));
        memmove(&gallery->shown[index], &gallery->shown[index + 1],
                behind * sizeof(*gallery->shown));
    }
    return result;
}

const struct vks_gallery_item *vks_gallery_items(const struct vks_gallery *gallery, size_t *count)
{
    *count = gallery->count;
    return gallery->items;
}

const char *vks_gallery_path(const struct vks_gallery *gallery, size_t index)
{
    return gallery->shown[index]->path;
}

const char *vks_gallery_preset(const struct vks_gallery *gallery, size_t index)
{
    return gallery->shown[index]->preset;
}

uint32_t vks_gallery_enlarged(const struct vks_gallery *gallery, size_t index)
{
    const char *name = file_name(gallery->shown[index]->path);
    const char *mark = strstr(name, VKS_ENLARGED_END);
    const char after = mark ? mark[strlen(VKS_ENLARGED_END)] : '\0';
    return after == '.' || after == '-'                                     ? VKS_ENLARGED
           : gallery->shown[index]->is_video && strstr(name, "-4k") != NULL ? 0
                                                                            : 1;
}
