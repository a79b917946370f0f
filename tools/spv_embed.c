/* SPDX-License-Identifier: MIT */
/* Build step: `spv_embed OUT.c NAME FILE.spv [NAME FILE.spv ...]` writes the shaders as C. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static int embed(FILE *out, int index, const char *path, size_t *count)
{
    FILE *in = fopen(path, "rb");
    uint32_t word;
    if (!in) {
        fprintf(stderr, "spv_embed: cannot read '%s'\n", path);
        return 1;
    }
    fprintf(out, "static const uint32_t shader_%d[] = {", index);
    for (*count = 0; fread(&word, sizeof(word), 1, in) == 1; (*count)++) {
        fprintf(out, "%s0x%08x,", *count % 8 ? " " : "\n    ", word);
    }
    fprintf(out, "\n};\n\n");
    int failed = ferror(in) || *count == 0;
    fclose(in);
    return failed;
}

int main(int argc, char **argv)
{
    enum { most = 256 };
    size_t counts[most];
    int shaders = (argc - 2) / 2;
    if (argc < 4 || argc % 2 || shaders > most) {
        fprintf(stderr, "usage: spv_embed OUT.c NAME FILE.spv ...\n");
        return 2;
    }
    FILE *out = fopen(argv[1], "w");
    if (!out) {
        fprintf(stderr, "spv_embed: cannot write '%s'\n", argv[1]);
        return 1;
    }
    fprintf(out, "/* Made by the build. */\n#include \"gpu/pipeline.h\"\n\n");
    int failed = 0;
    for (int i = 0; i < shaders && !failed; i++) {
        failed = embed(out, i, argv[3 + 2 * i], &counts[i]);
    }
    fprintf(out, "const struct vks_shader vks_shaders[] = {\n");
    for (int i = 0; i < shaders && !failed; i++) {
        fprintf(out, "    {\"%s\", shader_%d, %zu},\n", argv[2 + 2 * i], i, counts[i]);
    }
    fprintf(out, "};\nconst size_t vks_shader_count = %d;\n", shaders);
    if (fclose(out) != 0 || failed) {
        remove(argv[1]);
        return 1;
    }
    return 0;
}
