/* SPDX-License-Identifier: MIT */
/* State files and checkpoints. An input is the header of one, with its arrays (fuzz_archive.h), or
 * a whole archive: loaded as --load-state does, up to the upload, and continued as --resume does.
 */
#include "fuzz_tool.h"

#include "fuzz_archive.h"
#include "words.h"

unsigned long fuzz_taken;
const struct vks_option_table *const fuzz_options = &vks_cli_options;

static void try_state(const struct vks_cli *cli)
{
    if (vks_cli_state(cli)) {
        fuzz_check(vks_state_file_try(vks_cli_state(cli), &cli->settings));
    }
}

/* The simulation of a file without a header, which the command line names; "": none. */
static const char *simulation_of(const char *header)
{
    static char name[32];
    json_t *object = json_loads(header, 0, NULL);
    const char *text = json_string_value(json_object_get(object, "simulation"));
    const bool named = text && !json_object_get(object, "format") && vks_model_known(text);
    snprintf(name, sizeof(name), "%s", named ? text : "");
    json_decref(object);
    return name;
}

static void write_files(const uint8_t *data, size_t size, const char *header)
{
    if (size > 2 && memcmp(data, "PK", 2) == 0) {
        fuzz_write_file("z.npz", data, size);
        fuzz_write_file("c.a.vkc.npz", data, size);
    } else {
        fuzz_write_archive("z.npz", header);
        fuzz_write_archive("c.a.vkc.npz", header);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *header = malloc(size + 1);
    fuzz_require(header != NULL, "there is memory");
    memcpy(header, data, size);
    header[size] = '\0';
    if (fuzz_folder[0] == '\0') {
        fuzz_enter_folder();
    }
    write_files(data, size, header);
    const char *words[] = {
        "vksim", simulation_of(header), "--load-state", "z.npz", "--frames", "2", "--out", "none",
        NULL};
    const char *continued[] = {"vksim", "--resume", "c", "--frames", "20", NULL};
    const char **load = words[1][0] ? words : words + 1; /* without an empty name */
    load[0] = "vksim";
    const int count = (int)(words + 8 - load);
    const enum vks_result loaded = fuzz_command_line(count, (char **)load, try_state);
    const enum vks_result resumed = fuzz_command_line(5, (char **)continued, try_state);
    fuzz_taken += loaded == VKS_OK || resumed == VKS_OK;
    free(header);
    return 0;
}
