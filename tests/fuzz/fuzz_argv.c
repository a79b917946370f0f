/* SPDX-License-Identifier: MIT */
/* Command lines, one word per line: read as a run would read them, in a folder with some files. */
#define _DEFAULT_SOURCE
#include "fuzz_tool.h"

#include <ctype.h>

#include "fuzz_archive.h"
#include "frames/sink.h"
#include "words.h"

enum { MAX_WORDS = 64, MAX_SIZE = 4096 };

unsigned long fuzz_taken;
const struct vks_option_table *const fuzz_options = &vks_cli_options;

static void write_text(const char *path, const char *text)
{
    fuzz_write_file(path, text, strlen(text));
}

/* The files that words may name. */
static void make_files(void)
{
    static const uint8_t rgba[4 * 4 * 4] = {255, 0, 9, 255, 3, 200, 77, 255};
    char table[256 * 16];
    size_t length = 0;
    for (unsigned i = 0; i < 256; i++) {
        length += (size_t)snprintf(table + length, sizeof(table) - length, "%u,%u,9\n", i, 255 - i);
    }
    fuzz_enter_folder();
    write_text("m.csv", table);
    write_text("p.csv", "0.5,0.5,0.5\n0.25,0.75,0.1\n");
    write_text("s.json", "{\"simulation\":\"gray-scott\",\"size\":\"16x16\",\"frames\":3}");
    write_text("f.json", "{\"formula\":1,\"name\":\"fuzz\",\"parameters\":{\"p\":[0.5,0,1]},"
                         "\"fields\":{\"u\":{\"range\":[0,1]}},\"rates\":{\"u\":\"lap(u)-p*u\"},"
                         "\"init\":{\"noise\":{\"u\":\"random()\"}}}");
    fuzz_require(vks_write_png("i.png", rgba, 4, 4, NULL, true) == VKS_OK, "a picture");
    fuzz_write_archive("z.npz", FUZZ_STATE);
    fuzz_write_archive("c.a.vkc.npz", FUZZ_CHECKPOINT);
}

/* Paths stay in the folder: a slash only follows a letter or a digit. */
static void keep_inside(char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        const char before = i > 0 ? text[i - 1] : '\0';
        if (text[i] == '/' && !isalnum((unsigned char)before)) {
            text[i] = '_';
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char program[] = "vksim";
    char text[MAX_SIZE + 1], *argv[MAX_WORDS + 1] = {program};
    int argc = 1;
    if (fuzz_folder[0] == '\0') {
        make_files();
    }
    if (size > MAX_SIZE) {
        return 0;
    }
    memcpy(text, data, size);
    text[size] = '\0';
    keep_inside(text, size);
    for (char *at = text, *word; argc < MAX_WORDS && (word = strsep(&at, "\n")) != NULL;) {
        argv[argc++] = word;
    }
    fuzz_taken += fuzz_command_line(argc, argv, NULL) == VKS_OK;
    return 0;
}
