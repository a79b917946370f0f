/* SPDX-License-Identifier: MIT */
/* Saved pictures: their folder and names, what the gallery lists, and the trash. */
#include <fcntl.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/error.h"
#include "base/file.h"
#include "frames/sink.h"
#include "ui/gallery.h"

static char home[256];

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *place)
{
    (void)info;
    (void)kind;
    (void)place;
    return remove(path);
}

/* An empty HOME, and nothing of the specification's variables. */
static int make_home(void **state)
{
    (void)state;
    const char *base = getenv("TMPDIR");
    snprintf(home, sizeof(home), "%.200s/vksim-gallery-XXXXXX", base && *base ? base : "/tmp");
    unsetenv("XDG_PICTURES_DIR");
    unsetenv("XDG_VIDEOS_DIR");
    unsetenv("XDG_CONFIG_HOME");
    unsetenv("XDG_DATA_HOME");
    return !mkdtemp(home) || setenv("HOME", home, 1) != 0;
}

static int remove_home(void **state)
{
    (void)state;
    return nftw(home, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* A path in HOME; each is valid until the fourth one after it. */
static const char *in_home(const char *name)
{
    static char paths[4][600];
    static unsigned next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof(paths[0]), "%s/%s", home, name);
    return path;
}

static void write_text(const char *path, const char *text)
{
    assert_int_equal(vks_write_file(path, true, text, strlen(text)), VKS_OK);
}

static void assert_folder_of(enum vks_media media, const char *wanted)
{
    char *folder = NULL;
    assert_int_equal(vks_media_folder(media, &folder), VKS_OK);
    assert_string_equal(folder, wanted);
    free(folder);
}

static void assert_folder(const char *wanted)
{
    assert_folder_of(VKS_PICTURES, wanted);
}

static void test_folder(void **state)
{
    (void)state;
    char *folder = NULL;
    assert_folder(in_home("Pictures/vksim"));
    assert_int_equal(vks_make_folders(in_home(".config")), 0);
    write_text(in_home(".config/user-dirs.dirs"), "# XDG_PICTURES_DIR=\"/no\"\n"
                                                  "XDG_MUSIC_DIR=\"/no\"\n"
                                                  "XDG_PICTURES_DIR=\"no\"\n"
                                                  "XDG_PICTURES_DIR=\"$HOME/Mes \\\"images\"\n");
    assert_folder(in_home("Mes \"images/vksim"));
    write_text(in_home(".config/user-dirs.dirs"), "XDG_PICTURES_DIR=\"/mnt/pictures\"");
    assert_folder("/mnt/pictures/vksim");
    setenv("XDG_CONFIG_HOME", home, 1);
    assert_folder(in_home("Pictures/vksim"));
    setenv("XDG_PICTURES_DIR", "relative", 1);
    assert_folder(in_home("Pictures/vksim"));
    setenv("XDG_PICTURES_DIR", "/srv", 1);
    assert_folder("/srv/vksim");
    unsetenv("HOME");
    assert_folder("/srv/vksim");
    unsetenv("XDG_PICTURES_DIR");
    unsetenv("XDG_CONFIG_HOME");
    assert_int_equal(vks_media_folder(VKS_PICTURES, &folder), VKS_ERROR_FILE);
}

static void test_videos(void **state)
{
    (void)state;
    assert_folder_of(VKS_VIDEOS, in_home("Videos/vksim"));
    assert_int_equal(vks_make_folders(in_home(".config")), 0);
    write_text(in_home(".config/user-dirs.dirs"), "XDG_PICTURES_DIR=\"$HOME/Images\"\n"
                                                  "XDG_VIDEOS_DIRECTORY=\"/no\"\n"
                                                  "XDG_VIDEOS_DIR=\"$HOME/Films\"\n");
    assert_folder_of(VKS_VIDEOS, in_home("Films/vksim"));
    assert_folder(in_home("Images/vksim"));
    setenv("XDG_VIDEOS_DIR", "/srv", 1);
    assert_folder_of(VKS_VIDEOS, "/srv/vksim");
    assert_folder(in_home("Images/vksim"));
}

static void test_made(void **state)
{
    (void)state;
    struct stat info;
    struct vks_gallery *gallery;
    assert_int_equal(vks_gallery_create(&gallery), VKS_OK);
    assert_string_equal(vks_gallery_folder(gallery, VKS_PICTURES), in_home("Pictures/vksim"));
    assert_true(stat(in_home("Pictures/vksim"), &info) == 0 && S_ISDIR(info.st_mode));
    vks_gallery_destroy(gallery);
    write_text(in_home("file"), "");
    setenv("XDG_PICTURES_DIR", in_home("file"), 1);
    assert_int_equal(vks_gallery_create(&gallery), VKS_OK);
    assert_string_equal(vks_gallery_folder(gallery, VKS_PICTURES), ".");
    vks_gallery_destroy(gallery);
}

static void test_names(void **state)
{
    (void)state;
    static const char *const wanted[] = {"gas-jet-s7-000042.png", "gas-jet-s7-000042-2.png",
                                         "gas-jet-s7-000042-3.png"};
    for (int i = 0; i < 3; i++) {
        char *name = vks_picture_name(home, "gas", "jet", 7, 42, ".png");
        assert_string_equal(name, in_home(wanted[i]));
        write_text(name, "");
        free(name);
    }
    write_text(in_home("gas-jet-s7-000042-4x.png"), "");
    char *name = vks_picture_name(home, "gas", "jet", 7, 42, "-4x.png");
    assert_string_equal(name, in_home("gas-jet-s7-000042-4x-2.png"));
    free(name);
    name = vks_picture_name(home, "gas", "jet", 7, 12345678, ".png");
    assert_string_equal(name, in_home("gas-jet-s7-12345678.png"));
    free(name);
}

static void assert_starts(const char *path, const char *wanted)
{
    char *text = NULL;
    assert_int_equal(vks_read_file(path, 1000, &text, NULL), VKS_OK);
    assert_true(strlen(text) > strlen(wanted));
    text[strlen(wanted)] = '\0';
    assert_string_equal(text, wanted);
    free(text);
}

static void test_trash(void **state)
{
    (void)state;
    const char *file = in_home("a 100% \xc3\xa9.png");
    char wanted[700];
    char *real = realpath(home, NULL);
    for (int i = 0; i < 2; i++) {
        write_text(file, i ? "second" : "first");
        assert_int_equal(vks_trash(file), VKS_OK);
        assert_int_not_equal(access(file, F_OK), 0);
    }
    assert_starts(in_home(".local/share/Trash/files/a 100% \xc3\xa9.png"), "firs");
    assert_starts(in_home(".local/share/Trash/files/a 100% \xc3\xa9-2.png"), "secon");
    snprintf(wanted, sizeof(wanted),
             "[Trash Info]\nPath=%s/a%%20100%%25%%20%%C3%%A9.png\n"
             "DeletionDate=20",
             real);
    assert_starts(in_home(".local/share/Trash/info/a 100% \xc3\xa9.png.trashinfo"), wanted);
    assert_starts(in_home(".local/share/Trash/info/a 100% \xc3\xa9-2.png.trashinfo"), wanted);
    free(real);
}

static void test_no_trash(void **state)
{
    (void)state;
    const char *file = in_home("kept.png");
    write_text(file, "");
    setenv("XDG_DATA_HOME", file, 1);
    assert_int_equal(vks_trash(file), VKS_ERROR_FILE);
    assert_non_null(strstr(vks_error_text(), "stays"));
    assert_int_equal(access(file, F_OK), 0);
    unsetenv("XDG_DATA_HOME");
    assert_int_equal(vks_trash(in_home("missing.png")), VKS_ERROR_FILE);
    assert_int_not_equal(access(in_home(".local/share/Trash/info/missing.png.trashinfo"), F_OK), 0);
}

/* Writes a picture of one colour, `age` seconds old. */
static void write_picture(const char *path, uint8_t red, const char *scene, int age)
{
    static uint8_t rgba[300 * 200 * 4];
    const struct vks_origin origin = {.scene = scene, .steps = 9, .frames = 1};
    struct timespec times[2] = {{2000000000 - age, 0}, {2000000000 - age, 0}};
    for (size_t i = 0; i < sizeof(rgba); i += 4) {
        rgba[i] = red;
        rgba[i + 3] = 255;
    }
    assert_int_equal(vks_write_png(path, rgba, 300, 200, scene ? &origin : NULL, true), VKS_OK);
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void test_list(void **state)
{
    (void)state;
    static const char scene[] = "{\"simulation\":\"gray-scott\"}";
    static const uint8_t pixels[4] = {50, 60, 70, 255};
    struct vks_gallery *gallery;
    size_t count;
    setenv("XDG_PICTURES_DIR", home, 1);
    assert_int_equal(vks_make_folders(in_home("vksim/folder.png")), 0);
    write_picture(in_home("vksim/gray-scott-zeta-a-s3-000512.png"), 10, scene, 2);
    write_picture(in_home("vksim/other.png"), 20, scene, 1);
    write_picture(in_home("vksim/foreign.png"), 30, NULL, 0);
    write_text(in_home("vksim/damaged.png"), "text");
    write_picture(in_home("vksim/saved.png"), 40, scene, 5);
    assert_int_equal(vks_gallery_create(&gallery), VKS_OK);
    assert_string_equal(vks_gallery_folder(gallery, VKS_PICTURES), in_home("vksim"));
    assert_int_equal(vks_gallery_add(gallery, in_home("vksim/saved.png"), pixels, 1, 1), VKS_OK);
    for (int i = 0; i < 10 && !vks_gallery_is_read(gallery); i++) {
        assert_int_equal(vks_gallery_read(gallery, 0), VKS_OK);
    }
    assert_true(vks_gallery_is_read(gallery));
    const struct vks_gallery_item *items = vks_gallery_items(gallery, &count);
    assert_int_equal(count, 3);
    assert_string_equal(items[0].name, "saved.png");
    assert_string_equal(items[1].name, "other.png");
    assert_string_equal(items[1].words, "gray-scott, step 9, 300 x 200: other.png");
    assert_string_equal(items[2].name, "zeta-a");
    assert_string_equal(items[2].words,
                        "gray-scott, step 512, 300 x 200: gray-scott-zeta-a-s3-000512.png");
    assert_string_equal(vks_gallery_preset(gallery, 2), "zeta-a");
    assert_int_equal(items[0].image.rgba[96 * 96 * 4 - 4], 50);
    assert_int_equal(items[1].image.rgba[0], 20);
    assert_true(items[0].id != items[1].id && items[1].id != items[2].id);
    assert_int_equal(vks_gallery_delete(gallery, 1), VKS_OK);
    items = vks_gallery_items(gallery, &count);
    assert_int_equal(count, 2);
    assert_string_equal(items[1].name, "zeta-a");
    assert_string_equal(vks_gallery_path(gallery, 1),
                        in_home("vksim/gray-scott-zeta-a-s3-000512.png"));
    assert_int_equal(access(in_home(".local/share/Trash/files/other.png"), F_OK), 0);
    vks_gallery_destroy(gallery);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_folder, make_home, remove_home),
        cmocka_unit_test_setup_teardown(test_videos, make_home, remove_home),
        cmocka_unit_test_setup_teardown(test_made, make_home, remove_home),
        cmocka_unit_test_setup_teardown(test_names, make_home, remove_home),
        cmocka_unit_test_setup_teardown(test_trash, make_home, remove_home),
        cmocka_unit_test_setup_teardown(test_no_trash, make_home, remove_home),
        cmocka_unit_test_setup_teardown(test_list, make_home, remove_home),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
