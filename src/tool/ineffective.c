/* SPDX-License-Identifier: MIT */
/* Warnings about options on the command line that have no effect in their combination. Options of
 * simulations say in their rows what they need (.needs, .unless); the table below has the rules for
 * the whole run. */
#include <stdio.h>
#include <string.h>

#include "api/condition.h"
#include "api/start.h"
#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "frames/format.h"
#include "tool/cli.h"
#include "tool/outputs.h"
#include "view/planes.h"

/* --- what a run shows ------------------------------------------------------------------------ */

/* True if the options of the run are stored, to be used by another run. */
static bool keeps_scene(const struct vks_cli *cli)
{
    return cli->save_scene || cli->record_events;
}

/* The same for options of the simulation. */
static bool keeps_settings(const struct vks_cli *cli)
{
    return keeps_scene(cli) || cli->save_state;
}

/* No output has a frame rate, and the length does not depend on it. */
static bool has_no_rate(const struct vks_cli *cli)
{
    bool moves = false;
    for (size_t i = 0; i < cli->output_count; i++) {
        moves = moves || vks_format_has(cli->outputs[i].path, VKS_FORMAT_MOVES);
    }
    return cli->headless && !keeps_scene(cli) && !cli->duration && !moves;
}

static bool draws_nothing(const struct vks_cli *cli)
{
    return cli->headless && !keeps_settings(cli) && vks_outputs_are_none(cli);
}

static bool has_no_window(const struct vks_cli *cli)
{
    return cli->headless;
}

/* The length is given in steps, and nothing shows where frames begin. */
static bool has_no_frames(const struct vks_cli *cli)
{
    return draws_nothing(cli) && vks_cli_given(cli, VKS_CLI_ROW(steps)) && !cli->watch &&
           !cli->digest;
}

/* The planes of a frame that a format reads. */
static unsigned planes_of(const struct vks_cli *cli, const struct vks_format *format)
{
    const unsigned planes = vks_format_planes(format, 0);
    const unsigned heights = vks_plane_bit(VKS_PLANE_HEIGHTS);
    return !(planes & heights) && vks_format_holds_heights(format, cli->heights, cli->caves)
               ? heights
               : planes;
}

/* All outputs hold only these planes. */
static bool has_only(const struct vks_cli *cli, unsigned bare)
{
    bool more = vks_outputs_are_none(cli);
    for (size_t i = 0; i < cli->output_count && !more; i++) {
        const struct vks_format *format = NULL;
        more = vks_format_find(cli->outputs[i].path, &format) != VKS_OK ||
               (planes_of(cli, format) & ~bare);
    }
    return cli->headless && !keeps_settings(cli) && !cli->collage.width && !cli->report && !more;
}

/* Planes of fields and items themselves. */
enum { arrays = 1U << VKS_PLANE_CELLS | 1U << VKS_PLANE_ITEMS };

static bool has_no_range(const struct vks_cli *cli)
{
    return has_only(cli, vks_plane_bit(VKS_PLANE_VALUES) | arrays);
}

bool vks_cli_has_no_colours(const struct vks_cli *cli)
{
    return has_only(cli,
                    vks_plane_bit(VKS_PLANE_VALUES) | arrays | vks_plane_bit(VKS_PLANE_HEIGHTS));
}

/* Whether a format fits a question about terrain. */
typedef bool format_fn(const struct vks_cli *cli, const struct vks_format *format);

static bool holds_heights(const struct vks_cli *cli, const struct vks_format *format)
{
    return vks_format_holds_heights(format, cli->heights, cli->caves);
}

static bool is_mesh(const struct vks_cli *cli, const struct vks_format *format)
{
    (void)cli;
    return vks_format_is_mesh(format);
}

static bool can_be_heights(const struct vks_cli *cli, const struct vks_format *format)
{
    (void)cli;
    return (format->flags & VKS_FORMAT_HEIGHTS) != 0;
}

static bool can_be_caves(const struct vks_cli *cli, const struct vks_format *format)
{
    (void)cli;
    return vks_format_has_caves(format);
}

static bool no_output(const struct vks_cli *cli, format_fn *fits)
{
    bool found = false;
    for (size_t i = 0; i < cli->output_count && !found; i++) {
        const struct vks_format *format = NULL;
        found = cli->outputs[i].kind != VKS_OUT_NONE &&
                vks_format_find(cli->outputs[i].path, &format) == VKS_OK && fits(cli, format);
    }
    return !found;
}

static bool has_no_heights(const struct vks_cli *cli)
{
    return no_output(cli, holds_heights);
}

static bool has_no_mesh(const struct vks_cli *cli)
{
    return no_output(cli, is_mesh);
}

static bool has_no_picture_of_heights(const struct vks_cli *cli)
{
    return no_output(cli, can_be_heights);
}

static bool has_nothing_for_caves(const struct vks_cli *cli)
{
    return no_output(cli, can_be_caves);
}

static bool has_caves(const struct vks_cli *cli)
{
    return cli->caves != NULL;
}

static bool has_no_caves(const struct vks_cli *cli)
{
    return cli->caves == NULL;
}

static bool has_no_erosion(const struct vks_cli *cli)
{
    return cli->erode == 0;
}

static bool has_no_levels(const struct vks_cli *cli)
{
    return cli->levels == 0;
}

/* All outputs hold fields or items themselves. */
static bool has_no_picture(const struct vks_cli *cli)
{
    bool picture = vks_outputs_are_none(cli);
    for (size_t i = 0; i < cli->output_count && !picture; i++) {
        const struct vks_format *format = NULL;
        picture = vks_format_find(cli->outputs[i].path, &format) != VKS_OK ||
                  (vks_format_planes(format, 0) & ~(unsigned)arrays);
    }
    return cli->headless && !keeps_settings(cli) && !cli->collage.width && !cli->report && !picture;
}

static bool holds_fields(const struct vks_cli *cli, const struct vks_format *format)
{
    (void)cli;
    return vks_format_planes(format, 0) == vks_plane_bit(VKS_PLANE_CELLS);
}

static bool has_no_fields(const struct vks_cli *cli)
{
    return !cli->headless || no_output(cli, holds_fields);
}

static bool has_whole_state(const struct vks_cli *cli)
{
    /* In a window R starts from --init. */
    return cli->headless && !keeps_scene(cli) && cli->state.header;
}

/* True if a simulation reads an image into a field: from --init, or an option of its own. */
static bool reads_image(const struct vks_settings *settings)
{
    const struct vks_option_table table = settings->model->options;
    bool found = settings->common.init && vks_image_file(settings->common.init);
    for (size_t i = 0; i < table.count && !found; i++) {
        const struct vks_option *option = &table.options[i];
        found = (option->flags & VKS_OPTION_IMAGE) && vks_option_is_set(option, settings->own);
    }
    return found;
}

static bool has_no_image(const struct vks_cli *cli)
{
    const size_t count = cli->vary.count ? cli->vary.count : 1;
    bool found = keeps_scene(cli);
    for (size_t i = 0; i < count && !found; i++) {
        found = reads_image(&cli->cells[i]);
    }
    return !found;
}

/* All cells show fields of several planes, whose colours are options of the simulation. */
static bool has_mixes(const struct vks_cli *cli)
{
    const size_t count = cli->vary.count ? cli->vary.count : 1;
    bool found = !keeps_settings(cli) && cli->headless;
    for (size_t i = 0; i < count && found; i++) {
        found = cli->cells[i].common.look.values.mix.planes > 1;
    }
    return found;
}

static bool runs_nothing(const struct vks_cli *cli)
{
    return cli->dry_run || vks_cli_only_scene(cli);
}

/* A dry run names the memory of its device. */
static bool only_writes_scene(const struct vks_cli *cli)
{
    return !cli->dry_run && vks_cli_only_scene(cli);
}

/* --- kinds of options ------------------------------------------------------------------------ */

/* An option whose effect is in question. */
struct subject {
    const struct vks_option *option;
    struct vks_conditions conditions;
};

static bool is_look(const struct subject *subject)
{
    const struct vks_option *option = subject->option;
    const size_t look = offsetof(struct vks_common, look);
    return vks_option_find(vks_common_options, option->name) == option && option->offset >= look &&
           option->offset < look + sizeof(struct vks_look);
}

/* A look that is not a choice of the field. */
static bool is_geometry(const struct subject *subject)
{
    return is_look(subject) && subject->option != VKS_COMMON_ROW(look.view);
}

/* Heights depend on the range, but on nothing else that makes colours. */
static bool is_range(const struct subject *subject)
{
    return subject->option == VKS_COMMON_ROW(look.normalize) ||
           subject->option == VKS_COMMON_ROW(look.tone);
}

static bool is_colour(const struct subject *subject)
{
    return ((subject->option->flags & VKS_OPTION_COLOURS) != 0 && !is_range(subject)) ||
           subject->option == VKS_COMMON_ROW(look.annotate);
}

static bool is_heights(const struct subject *subject)
{
    return subject->option == VKS_CLI_ROW(heights);
}

static bool is_talus(const struct subject *subject)
{
    return subject->option == VKS_CLI_ROW(talus);
}

static bool is_level_smooth(const struct subject *subject)
{
    return subject->option == VKS_CLI_ROW(level_smooth);
}

static bool is_terrain(const struct subject *subject)
{
    return subject->option == VKS_CLI_ROW(erode) || subject->option == VKS_CLI_ROW(levels) ||
           is_talus(subject) || is_level_smooth(subject);
}

static bool is_caves(const struct subject *subject)
{
    return subject->option == VKS_CLI_ROW(caves);
}

static bool is_cave_min(const struct subject *subject)
{
    return subject->option == VKS_CLI_ROW(cave_min);
}

static bool is_of_mesh(const struct subject *subject)
{
    return subject->option == VKS_CLI_ROW(mesh_size) || subject->option == VKS_CLI_ROW(relief) ||
           subject->option == VKS_CLI_ROW(mesh_base);
}

static bool is_colormap(const struct subject *subject)
{
    return subject->option == VKS_COMMON_ROW(look.colormap);
}

static bool is_start(const struct subject *subject)
{
    const struct vks_option *needs = subject->conditions.needs.option;
    return subject->option->change == VKS_CHANGE_START || (needs && needs == VKS_COMMON_ROW(init));
}

static bool is_fit(const struct subject *subject)
{
    return subject->option == VKS_COMMON_ROW(init_fit);
}

static bool is_warmup(const struct subject *subject)
{
    return subject->option == VKS_CLI_ROW(warmup);
}

static bool is_rate(const struct subject *subject)
{
    return subject->option == VKS_CLI_ROW(fps);
}

static bool is_fields(const struct subject *subject)
{
    return subject->option == VKS_CLI_ROW(fields);
}

static bool is_present(const struct subject *subject)
{
    return subject->option == VKS_CLI_ROW(present);
}

static bool is_device(const struct subject *subject)
{
    return subject->option == vks_option_find(vks_device_options, "device");
}

static bool is_of_device(const struct subject *subject)
{
    return vks_option_find(vks_device_options, subject->option->name) == subject->option &&
           !is_device(subject);
}

/* Options of a kind have no effect in such a run. The first rule that applies gives the reason. */
static const struct rule {
    bool (*is_kind)(const struct subject *subject);
    bool (*is_case)(const struct vks_cli *cli);
    const char *reason; /* after "--NAME has no effect" */
} rules[] = {
    {is_look, draws_nothing, "with --out none, which draws no pictures"},
    {is_range, has_no_range, "on an output of values, which has no colours"},
    {is_colour, vks_cli_has_no_colours, "on an output of values, which has no colours"},
    {is_geometry, has_no_picture, "for a .vti, .vtp or .npz file, which has the fields themselves"},
    {is_colormap, has_mixes, "on this view, whose colours are those of the simulation's options"},
    {is_start, has_whole_state, "with --load-state, whose file contains the whole state"},
    {is_fit, has_no_image, "without an image (--init image:FILE or a map)"},
    {is_present, has_no_window, "without a window"},
    {is_fields, has_no_fields, "without a .vti or .npz file"},
    {is_of_device, runs_nothing, "when nothing runs"},
    {is_device, only_writes_scene, "when nothing runs"},
    {is_heights, has_no_picture_of_heights, "without a .png file"},
    {is_heights, has_caves, "with --caves, which a .png file then holds"},
    {is_terrain, has_no_heights, "without heights (.png with --heights, .r16), a mesh or --caves"},
    {is_talus, has_no_erosion, "without --erode"},
    {is_level_smooth, has_no_levels, "without --levels"},
    {is_caves, has_nothing_for_caves, "without a .png, .npy or .csv file"},
    {is_cave_min, has_no_caves, "without --caves"},
    {is_of_mesh, has_no_mesh, "without a mesh (.glb, .stl, .ply)"},
    {is_warmup, has_no_frames, "with --steps and --out none, which has no frames"},
    {is_rate, has_no_rate, "on this output: only videos and animations have a frame rate"},
};

/* --- options of simulations ------------------------------------------------------------------ */

/* Why an option has no effect with the value of another, where `needs` is not met. */
static void explain_needs(const struct vks_condition *needs, const struct vks_settings *settings,
                          char *reason, size_t size)
{
    const struct vks_option *other = needs->option;
    char text[64];
    if (needs->values == 0) {
        snprintf(reason, size, "without --%s", other->name);
        return;
    }
    int used =
        snprintf(reason, size, "with --%s %s, only with ", other->name,
                 vks_option_get(other, vks_settings_values(settings, other), text, sizeof(text)));
    uint32_t left = needs->values;
    for (uint32_t i = 0; left && used > 0 && (size_t)used < size; i++) {
        if (left >> i & 1U) {
            left &= ~(1U << i);
            used += snprintf(reason + used, size - (size_t)used, "%s%s",
                             vks_condition_value(settings->model, other, i),
                             !left               ? ""
                             : left & (left - 1) ? ", "
                                                 : " or ");
        }
    }
}

/* Whether an option has an effect with these settings; else the reason. */
static bool is_used(const struct vks_conditions *conditions, const struct vks_settings *settings,
                    char *reason, size_t size)
{
    if (!vks_condition_is_met(&conditions->needs, settings)) {
        explain_needs(&conditions->needs, settings, reason, size);
        return false;
    }
    for (size_t i = 0; conditions->unless[i]; i++) {
        const struct vks_option *other = conditions->unless[i];
        const void *values = vks_settings_values(settings, other);
        char text[VKS_VALUE_SIZE];
        if (vks_option_is_on(other, values)) {
            snprintf(reason, size, "with --%s %s, which replaces it", other->name,
                     vks_option_get(other, values, text, sizeof(text)));
            return false;
        }
    }
    return true;
}

/* Whether the option has an effect in any cell; else the reason, of the last one. */
static bool has_effect(const struct vks_cli *cli, const struct vks_option *option, char *reason,
                       size_t size)
{
    const size_t count = cli->vary.count ? cli->vary.count : 1;
    struct subject subject = {.option = option};
    /* The tables have been checked. */
    (void)vks_conditions_resolve(cli->cells[0].model, option, &subject.conditions);
    for (size_t i = 0; i < VKS_COUNT(rules); i++) {
        if (rules[i].is_kind(&subject) && rules[i].is_case(cli)) {
            snprintf(reason, size, "%s", rules[i].reason);
            return false;
        }
    }
    for (size_t i = 0; i < count; i++) {
        if (is_used(&subject.conditions, &cli->cells[i], reason, size)) {
            return true;
        }
    }
    return false;
}

/* True for a flag with its default value: stating the default is not a mistake. */
static bool says_nothing(const struct vks_cli *cli, const struct vks_option *option)
{
    void *structure;
    const struct vks_option *own = vks_settings_option(&cli->cells[0], option->name, &structure);
    return own == option && option->type == VKS_OPTION_FLAG &&
           vks_option_is_default(option, structure);
}

static void warn(const struct vks_cli *cli, const struct vks_option *option, const char *flag)
{
    char reason[1024];
    if (!says_nothing(cli, option) && !has_effect(cli, option, reason, sizeof(reason))) {
        vks_message(VKS_LOG_WARNING, "%s%s has no effect %s", flag, option->name, reason);
    }
}

/* Cells that differ only in their position look like a mistake. */
static void warn_repeated(const struct vks_axis *axis, const char *flag)
{
    for (size_t i = 1; i < axis->count; i++) {
        for (size_t j = 0; j < i; j++) {
            if (strcmp(axis->values[i], axis->values[j]) == 0) {
                vks_message(VKS_LOG_WARNING, "%s%s has the value '%s' more than once", flag,
                            axis->option, axis->values[i]);
                return;
            }
        }
    }
}

/* What the model says about the first cell that it has something to say about. */
static void warn_of_model(const struct vks_cli *cli)
{
    const size_t count = cli->vary.count ? cli->vary.count : 1;
    const char *sentence = NULL;
    for (size_t i = 0; i < count && !sentence; i++) {
        const struct vks_model *model = cli->cells[i].model;
        const struct vks_config config = vks_settings_config(&cli->cells[i]);
        sentence = model->warning ? model->warning(&config) : NULL;
    }
    if (sentence) {
        vks_message(VKS_LOG_WARNING, "%s", sentence);
    }
}

void vks_warn_ineffective(const struct vks_cli *cli)
{
    const struct vks_axis *const axes[] = {&cli->vary.across, &cli->vary.down};
    const char *const flags[] = {"--vary ", "--vary-rows "};
    for (size_t i = 0; i < cli->call->word_count; i++) {
        const struct vks_option *option = cli->call->words[i].option;
        bool repeated = false;
        for (size_t j = 0; j < i; j++) {
            repeated = repeated || cli->call->words[j].option == option;
        }
        void *structure;
        const struct vks_option *row =
            vks_call_is_own(cli->call, &cli->call->words[i])
                ? option
                : vks_settings_option(&cli->cells[0], option->name, &structure);
        if (!repeated && row) {
            warn(cli, row, "--");
        }
    }
    for (size_t i = 0; i < VKS_COUNT(axes); i++) {
        void *structure;
        warn_repeated(axes[i], flags[i]);
        const struct vks_option *option =
            axes[i]->count && !vks_axis_is_preset(axes[i])
                ? vks_settings_option(&cli->cells[0], axes[i]->option, &structure)
                : NULL;
        if (option) {
            warn(cli, option, flags[i]);
        }
    }
    warn_of_model(cli);
}
