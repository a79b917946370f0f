/* SPDX-License-Identifier: MIT */
#include "physarum_crowds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "physarum_cases.h"
#include "sim_test.h"

struct crowd {
    uint32_t row, column, agents;
};

struct crowds {
    const char *name;
    uint32_t width, height;
    struct crowd crowds[12]; /* no agents: the end */
    const char *options;
};

static const struct crowds cases[] = {
    {"one agent fewer than a byte holds", 16, 8, {{3, 5, 254}}, ""},
    {"a full byte", 16, 8, {{3, 5, 255}}, ""},
    {"one agent more", 16, 8, {{3, 5, 256}}, ""},
    {"two agents more", 16, 8, {{3, 5, 257}}, ""},
    {"a full byte beside a crowd", 16, 8, {{3, 4, 256}, {3, 5, 255}, {3, 6, 255}}, ""},
    {"four crowds in a word", 16, 8, {{2, 4, 300}, {2, 5, 513}, {2, 6, 256}, {2, 7, 1000}}, ""},
    {"carries through a word", 16, 8, {{2, 4, 257}, {2, 5, 255}, {2, 6, 255}, {2, 7, 255}}, ""},
    {"a million in one cell", 16, 8, {{7, 15, 1000000}}, "deposit=0.01"},
    {"many agents in several windows",
     301,
     200,
     {{0, 0, 100001}, {100, 150, 150002}, {101, 151, 150003}, {199, 300, 100004}, {57, 3, 255}},
     "deposit=0.01"},
    {"crowds in padded words", 7, 5, {{0, 6, 700}, {4, 6, 256}, {2, 4, 255}, {3, 0, 300}}, ""},
    {"one column", 1, 5, {{0, 0, 300}, {4, 0, 257}}, ""},
    {"one row, zero outside", 6, 1, {{0, 0, 300}, {0, 5, 257}}, "boundary=zero"},
    /* Blocks have 128 or 32 columns, and one row; from half a million cells on, two rows. */
    {"edges of blocks", 520, 10, {{1, 511, 300}, {4, 512, 301}, {7, 0, 302}, {0, 519, 303}}, ""},
    {"edges of blocks of two rows",
     1024,
     512,
     {{1, 127, 300}, {4, 128, 301}, {6, 0, 302}, {510, 640, 303}, {511, 1023, 304}},
     ""},
    {"edges of blocks, zero outside",
     520,
     10,
     {{1, 511, 300}, {4, 512, 301}, {7, 0, 302}, {9, 519, 303}},
     "boundary=zero"},
    {"edges of narrow blocks",
     131,
     9,
     {{1, 127, 300}, {4, 128, 301}, {6, 0, 302}, {8, 130, 303}, {0, 3, 304}},
     ""},
    /* Those of software drivers: 1024 columns and 16 rows. */
    {"edges of wide blocks",
     1040,
     36,
     {{15, 1023, 300}, {16, 1024, 301}, {31, 0, 302}, {32, 1039, 303}, {0, 1023, 304}},
     ""},
    {"edges of wide blocks, zero outside",
     1040,
     36,
     {{15, 1023, 300}, {16, 1024, 301}, {31, 0, 302}, {32, 1039, 303}, {0, 1023, 304}},
     "boundary=zero"},
    {"without a blur", 520, 10, {{1, 511, 300}, {4, 512, 301}}, "diffuse-size=1"},
    {"squares of five cells", 33, 21, {{0, 0, 300}, {20, 32, 301}, {9, 9, 255}}, "diffuse-size=5"},
    /* The last row of a plane is followed by the first row of the next one. */
    {"full bytes of three species",
     16,
     8,
     {{7, 4, 765}, {7, 5, 1200}, {0, 4, 768}, {0, 6, 770}},
     "species=3"},
    {"edges of planes",
     520,
     10,
     {{9, 511, 900}, {0, 512, 901}, {9, 519, 902}, {0, 0, 903}},
     "species=3 deposit=1,0.5,2 attraction=chase"},
    {"edges of planes, zero outside",
     1040,
     36,
     {{35, 1023, 900}, {0, 1024, 901}, {35, 0, 902}, {16, 1039, 903}, {0, 0, 904}},
     "species=2 species-shares=1,3 boundary=zero"},
    {"edges of planes in padded words",
     7,
     5,
     {{0, 6, 700}, {4, 6, 512}, {4, 5, 600}, {0, 0, 900}},
     "species=2 infection=any infection-factor=1 infection-time=2 infection-trail=0"},
    {"edges of planes of five rows, wide squares",
     131,
     5,
     {{0, 130, 600}, {4, 127, 601}, {4, 130, 602}},
     "species=8 diffuse-size=5 attraction=random"},
    {"crowds beside walls",
     16,
     8,
     {{1, 1, 300}, {1, 14, 256}, {6, 7, 1000}, {6, 8, 255}},
     "walls=frame diffuse=1"},
    {"crowds beside walls in padded words",
     7,
     5,
     {{1, 1, 300}, {1, 5, 700}, {3, 3, 255}},
     "walls=frame food=points:0.5,0.5 food-eaten=0.001 at-wall=turn"},
    {"crowds of species beside walls that eat",
     131,
     9,
     {{1, 127, 600}, {4, 128, 601}, {7, 1, 602}, {1, 1, 900}},
     "species=2 walls=frame food=points:0.01,0.2/0.98,0.5 food-strength=3 food-eaten=0.001"},
    {"squares of nine cells", 8, 5, {{0, 0, 300}, {4, 7, 301}}, "diffuse-size=9 boundary=zero"},
};

/* The first position in the cell. */
static uint32_t place_in(uint32_t cell, uint32_t side)
{
    return (uint32_t)((((uint64_t)cell << 32) + side - 1) / side);
}

static uint64_t count_agents(const struct crowds *row)
{
    uint64_t count = 0;
    for (size_t i = 0; row->crowds[i].agents > 0; i++) {
        count += row->crowds[i].agents;
    }
    return count;
}

/* The agents of a crowd have all directions. */
static void place_crowds(const struct crowds *row, struct physarum_state *state)
{
    uint64_t agent = 0;
    for (size_t i = 0; row->crowds[i].agents > 0; i++) {
        for (uint32_t j = 0; j < row->crowds[i].agents; j++, agent++) {
            state->position[2 * agent] = place_in(row->crowds[i].row, row->height);
            state->position[2 * agent + 1] = place_in(row->crowds[i].column, row->width);
            state->heading[agent] = (uint32_t)agent * 2654435769u;
        }
    }
}

static bool go_on(vks_simulation *simulation, struct physarum_state *state, uint32_t steps)
{
    char digest[PHYSARUM_DIGEST_SIZE];
    for (uint32_t i = 0; i < steps; i++) {
        physarum_step(state);
    }
    return fine(vks_simulation_run(simulation, steps)) &&
           sim_has_digest(simulation, physarum_digest(state, digest));
}

/* Crowds that stay in their cells, then move on together, then scatter. */
static bool same_crowds(vks_context *context, const struct crowds *row, const char *way)
{
    char all[256], options[300];
    snprintf(all, sizeof(all), "step-size=0 agents=%llu %s", (unsigned long long)count_agents(row),
             row->options);
    snprintf(options, sizeof(options), "%s %s", all, way);
    struct physarum_settings settings, moving;
    const struct sim_run run = {.name = row->name,
                                .model = "physarum",
                                .preset = "plain",
                                .basis = "",
                                .width = row->width,
                                .height = row->height,
                                .seed = 3,
                                .start = "random",
                                .options = options};
    vks_simulation *simulation = sim_open(context, &run);
    struct physarum_state *state = physarum_parse(all, &settings)
                                       ? physarum_create(row->width, row->height, 3, &settings)
                                       : NULL;
    snprintf(all + strlen(all), sizeof(all) - strlen(all), " step-size=1.5");
    struct physarum_state *last =
        physarum_parse(all, &moving) ? physarum_create(row->width, row->height, 3, &moving) : NULL;
    bool good = simulation && state && last;
    if (good) {
        physarum_start(state, PHYSARUM_RANDOM); /* the species */
        place_crowds(row, state);
        good = fine(vks_simulation_write(simulation, "position", state->position,
                                         state->agents * 2 * sizeof(uint32_t))) &&
               fine(vks_simulation_write(simulation, "heading", state->heading,
                                         state->agents * sizeof(uint32_t))) &&
               go_on(simulation, state, 1) && go_on(simulation, state, 2);
    }
    if (good) {
        physarum_copy(last, state);
        good = sim_set(simulation, "step-size=1.5") && go_on(simulation, last, 1) &&
               go_on(simulation, last, 4);
    }
    physarum_free(last);
    physarum_free(state);
    vks_simulation_destroy(simulation);
    return good;
}

/* Steps are fused for few agents of one species and small squares, in one workgroup of any device
 * up to 2 500 cells. */
static bool can_run(const struct crowds *row, const char *way)
{
    const bool few = count_agents(row) <= 65535 && strstr(row->options, "diffuse-size=5") == NULL &&
                     strstr(row->options, "diffuse-size=9") == NULL &&
                     strstr(row->options, "species=") == NULL &&
                     strstr(row->options, "walls=") == NULL;
    const bool joined = strcmp(way, "variant=joined") == 0;
    const bool together = strncmp(way, "variant=together", 16) == 0;
    return !(joined || together) ||
           (few && (joined ? row->width % 4 == 0 : row->width * row->height <= 2500));
}

/* Each crowd in words, in bytes that are counted every step or every second one, unsorted or as the
 * device prefers, and in fused steps where it can. */
void physarum_test_crowds(vks_context *context)
{
    static const char *const ways[][2] = {{"variant=sorted-2-words", "variant=sorted-2-words"},
                                          {"variant=sorted-1-bytes", "variant=sorted-2-bytes"},
                                          {"variant=auto", "variant=unsorted"},
                                          {"variant=joined", "variant=joined"},
                                          {"variant=together-3", "variant=together-3"}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        for (size_t j = 0; j < sizeof(ways) / sizeof(ways[0]); j++) {
            const char *way = ways[j][i / 2 % 2];
            if (can_run(&cases[i], way) && sim_due()) {
                report(same_crowds(context, &cases[i], way), "%s, %s", cases[i].name, way);
            }
        }
    }
}
