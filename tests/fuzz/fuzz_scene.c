/* SPDX-License-Identifier: MIT */
/* Scenes, and pictures that hold one: read as a run reads them, with their events. The scene that a
 * valid one would be saved as is valid, and is saved as itself. */
#include "fuzz_tool.h"

#include "base/json.h"
#include "words.h"

unsigned long fuzz_taken;
const struct vks_option_table *const fuzz_options = &vks_cli_options;

static char *saved; /* a heap string; NULL: the scene is not valid */

static void save(const struct vks_cli *cli)
{
    json_t *scene = NULL;
    fuzz_require(vks_scene_make(cli, &cli->events, &scene) == VKS_OK, "it can be saved");
    saved = vks_json_dump(scene, JSON_SORT_KEYS | JSON_COMPACT);
    fuzz_require(saved != NULL, "there is memory");
    json_decref(scene);
}

static enum vks_result read_scene(const char *path)
{
    const char *words[] = {"vksim", "--scene", path, "--headless", "--out", "none", NULL};
    return fuzz_command_line(6, (char **)words, save);
}

static void read_again(void)
{
    char *first = saved;
    saved = NULL;
    fuzz_write_file("again.json", first, strlen(first));
    if (read_scene("again.json") != VKS_OK) {
        fprintf(stderr, "%s\n%s\n", first, vks_error_text());
        fuzz_require(0, "a saved scene is valid");
    }
    if (strcmp(first, saved) != 0) {
        fprintf(stderr, "%s\n%s\n", first, saved);
        fuzz_require(0, "it is saved as it is");
    }
    free(first);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const bool is_picture = size > 4 && memcmp(data, "\x89PNG", 4) == 0;
    const char *path = is_picture ? "scene.png" : "scene.json";
    if (fuzz_folder[0] == '\0') {
        fuzz_enter_folder();
    }
    fuzz_write_file(path, data, size);
    if (read_scene(path) == VKS_OK) {
        fuzz_taken++;
        read_again();
    }
    free(saved);
    saved = NULL;
    return 0;
}
