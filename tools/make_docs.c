/* SPDX-License-Identifier: MIT */
/* make_docs man|bash: prints the manual page or the bash completion, made from the option tables,
 * the models and the list of results, so that none of them can say other than the program does.
 * Run by docs/meson.build. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "tool/cli.h"
#include "api/model_check.h"
#include "view/colormap.h"

/* Of the release that the page describes. */
#define DATE "November 21, 2026"

/* --- roff ----------------------------------------------------------------------------------- */

/* One character of running text: what roff would take for its own is escaped, and the two dashes
 * of an option stay dashes. */
static void put_character(const char *text, size_t at)
{
    bool dashes = text[at] == '-' && (text[at + 1] == '-' || (at > 0 && text[at - 1] == '-'));
    if (dashes) {
        fputs("\\-", stdout);
    } else if (text[at] == '\\') {
        fputs("\\e", stdout);
    } else {
        putchar(text[at]);
    }
}

/* Running text, in lines of at most 76 characters; a sentence begins a line of its own. */
static void put_text(const char *text)
{
    size_t column = 0;
    for (size_t at = 0; text[at];) {
        size_t length = strcspn(text + at, " ");
        if (column > 0) {
            bool sentence = at > 1 && text[at - 2] == '.';
            bool breaks = sentence || column + 1 + length > 76;
            putchar(breaks ? '\n' : ' ');
            column = breaks ? 0 : column + 1;
        }
        if (column == 0 && (text[at] == '.' || text[at] == '\'')) {
            fputs("\\&", stdout);
        }
        for (size_t i = 0; i < length; i++) {
            put_character(text, at + i);
        }
        column += length;
        at += length + strspn(text + at + length, " ");
    }
    putchar('\n');
}

static void put_options(const struct vks_option_table table)
{
    puts(".Bl -tag -width Ds");
    for (size_t i = 0; i < table.count; i++) {
        const struct vks_option *option = &table.options[i];
        const char *argument = vks_option_argument(option);
        char values[1024], body[2048];
        if (option->implied) {
            printf(".It Fl -%s Ns Op = Ns Ar %s\n", option->name, argument);
        } else if (strcmp(argument, "WxH") == 0) {
            printf(".It Fl -%s Ar W Ns x Ns Ar H\n", option->name);
        } else if (strcmp(argument, "WxH[xD]") == 0) {
            printf(".It Fl -%s Ar W Ns x Ns Ar H Ns Op x Ns Ar D\n", option->name);
        } else if (argument[0]) {
            printf(".It Fl -%s Ar %s\n", option->name, argument);
        } else {
            printf(".It Fl -%s\n", option->name);
        }
        snprintf(body, sizeof(body), "%s%s.", option->help,
                 vks_option_values(option, values, sizeof(values)));
        put_text(body);
    }
    puts(".El");
}

static void put_model(const struct vks_model *model, bool first)
{
    char list[512], text[1024];
    printf(".Ss Simulation %s\n", model->name);
    snprintf(text, sizeof(text), "%s%s.", model->summary, first ? "; the default simulation" : "");
    put_text(text);
    puts(".Pp");
    snprintf(text, sizeof(text), "Initial conditions (--init): %s%s.",
             vks_join(vks_model_starts(model), list, sizeof(list)),
             model->starts_from_image ? ", image:FILE" : "");
    put_text(text);
    puts(".Pp\nViews:\n.Bl -tag -width Ds -compact");
    for (const struct vks_view *view = model->views; view->name; view++) {
        printf(".It Cm %s\n", view->name);
        put_text(view->help);
    }
    puts(".El\n.Pp\nPresets:\n.Bl -tag -width Ds -compact");
    for (const struct vks_preset *preset = vks_model_presets(model); preset->name; preset++) {
        printf(".It Cm %s\n", preset->name);
        put_text(preset->summary);
    }
    puts(".El\n.Pp\nIts options; the defaults given hold where the preset sets nothing else:");
    put_options(model->options);
}

static void put_page(void)
{
    printf(".\\\" Made by tools/make_docs.c from the option tables. SPDX-License-Identifier: MIT\n"
           ".Dd " DATE "\n.Dt VKSIM 1\n.Os\n.Sh NAME\n.Nm vksim\n"
           ".Nd simulations on Vulkan compute, byte-identical on every driver\n"
           ".Sh SYNOPSIS\n.Nm\n.Op Ar SIMULATION\n.Op Ar OPTIONS\n"
           ".Sh DESCRIPTION\n.Nm\n");
    puts("runs a simulation on a GPU and shows it in a window, or with\n"
         ".Fl -headless\n"
         "renders it to a video, to pictures or to nothing but its final state.\n"
         "Equal options and seeds produce identical bytes of state and pictures on every\n"
         "Vulkan driver.\n"
         ".Pp\n"
         "Values come from, each over the one before: the defaults of the options, the\n"
         "preset \"default\", a state file\n"
         ".Pq Fl -load-state ,\n"
         "a scene file\n"
         ".Pq Fl -scene ,\n"
         ".Fl -preset ,\n"
         "and the other options of the command line.\n"
         "A preset is a whole look: what it does not name returns to its default, but for\n"
         "size and seed.\n"
         ".Pp\n"
         "An option is written as\n"
         ".Fl -name Ar value\n"
         "or\n"
         ".Fl -name Ns = Ns Ar value .\n"
         ".Ss Options of the tool");
    put_options(vks_cli_options);
    puts(".Ss Options common to all simulations");
    put_options(vks_common_options);
    for (size_t i = 0; vks_model_at(i); i++) {
        put_model(vks_model_at(i), i == 0);
    }
    puts(".Sh KEYS\nIn the window:\n"
         ".Bl -tag -width Ds -compact\n"
         ".It space\nPause and go on.\n"
         ".It Cm \\&.\nPause and take one step.\n"
         ".It Cm R\nStart again.\n"
         ".It Cm N\nStart again with the next seed.\n"
         ".It Cm S\nWrite the picture to\n.Pa SIMULATION-STEP.png\nin the current folder.\n"
         ".It Cm F\nFull screen and back.\n"
         ".It Cm Q , No escape\nQuit.\n"
         ".El");
    puts(".Sh ENVIRONMENT\n.Bl -tag -width Ds\n"
         ".It Ev VKSIM_DEVICE\nThe GPU to use when\n.Fl -device\nis not given.\n"
         ".It Ev VKSIM_CACHE_DIR\nFolder of the pipeline cache.\n"
         ".It Ev XDG_CACHE_HOME\nThe pipeline cache is in its folder\n.Pa vksim\n"
         "when\n.Ev VKSIM_CACHE_DIR\nis not set.\n"
         ".El");
    puts(".Sh FILES\n.Bl -tag -width Ds\n"
         ".It Pa ~/.cache/vksim/pipelines-*.bin\n"
         "Compiled pipelines, a file a device and driver, when neither variable is set.\n"
         "They can be deleted at any time.\n"
         ".El");
    puts(".Sh EXIT STATUS\n.Bl -tag -width Ds -compact");
#define RESULT_ROW(name, value, text)   \
    if (vks_exit_code(name) == value) { \
        printf(".It %d\n", value);      \
        put_text(text);                 \
    }
    VKS_RESULTS(RESULT_ROW)
#undef RESULT_ROW
    puts(".El");
    puts(".Sh EXAMPLES\n"
         "A video of 500 frames,\n.Pa physarum.mp4 :\n"
         ".Pp\n.Dl vksim --headless --frames 500\n.Pp\n"
         "Another look and another seed, in a window:\n"
         ".Pp\n.Dl vksim physarum --colormap abyss --seed 7 --sensor-angle 40\n.Pp\n"
         "The picture after 1000 steps:\n"
         ".Pp\n.Dl vksim --headless --steps 1000 --out picture.png\n.Pp\n"
         "The time that each pass took on the GPU, with no file:\n"
         ".Pp\n.Dl vksim --headless --steps 1000 --out none --timings\n.Pp\n"
         "A run in two halves, the same to the bit as in one:\n"
         ".Pp\n.Dl vksim --headless --steps 500 --out none --save-state half.npz\n"
         ".Dl vksim --headless --steps 500 --out none --load-state half.npz --digest\n"
         ".Sh SEE ALSO\n"
         ".Xr ffmpeg 1 ,\n.Xr vulkaninfo 1");
}

/* --- bash ----------------------------------------------------------------------------------- */

static void put_names(const struct vks_option_table table)
{
    for (size_t i = 0; i < table.count; i++) {
        printf(" --%s", table.options[i].name);
    }
}

/* A case of the option's values, for the options that have some to offer. */
static void put_values(const struct vks_option *option, const char *indent)
{
    const char *argument = vks_option_argument(option);
    char words[512] = "";
    if (option->choices) {
        size_t used = 0;
        for (size_t i = 0; option->choices[i] && used < sizeof(words); i++) {
            used += (size_t)snprintf(words + used, sizeof(words) - used, "%s%s", i ? " " : "",
                                     option->choices[i]);
        }
        printf("%s--%s) _vksim_words '%s' ;;\n", indent, option->name, words);
    } else if (strcmp(option->name, "preset") == 0) {
        printf("%s--%s) _vksim_words \"$presets\" ;;\n", indent, option->name);
    } else if (strcmp(option->name, "init") == 0) {
        printf("%s--%s) _vksim_words \"$starts\" ;;\n", indent, option->name);
    } else if (strcmp(option->name, "view") == 0) {
        printf("%s--%s) _vksim_words \"$views\" ;;\n", indent, option->name);
    } else if (strcmp(option->name, "normalize") == 0) {
        printf("%s--%s) _vksim_words 'frame smooth fixed:' ;;\n", indent, option->name);
    } else if (strcmp(option->name, "colormap") == 0) {
        printf("%s--%s) _vksim_files 'csv|txt|png'; COMPREPLY+=($(compgen -W '", indent,
               option->name);
        for (size_t i = 0; vks_colormap_names[i]; i++) {
            printf("%s%s", i ? " " : "", vks_colormap_names[i]);
        }
        puts("' -- \"$cur\")) ;;");
    } else if (strncmp(argument, "FILE.", 5) == 0) {
        printf("%s--%s) _vksim_files '%s' ;;\n", indent, option->name, argument + 5);
    } else if (strcmp(argument, "PATH") == 0) {
        /* Each extension without its dot, and what no file ends in last. */
        printf("%s--%s) _vksim_files '", indent, option->name);
#define VKS_FORMAT(extension, backend, depths, flags, content) printf("%s|", &(extension)[1]);
#include "frames/formats.def"
#undef VKS_FORMAT
        printf("-' ;;\n");
    } else if (option->type != VKS_OPTION_FLAG) {
        printf("%s--%s) ;;\n", indent, option->name);
    }
}

/* Options whose value may stand apart: the word after them is theirs. */
static void put_taking(const struct vks_option_table table)
{
    for (size_t i = 0; i < table.count; i++) {
        if (table.options[i].type != VKS_OPTION_FLAG && !table.options[i].implied) {
            printf(" --%s", table.options[i].name);
        }
    }
}

static void put_completion(void)
{
    puts("# bash completion for vksim. Made by tools/make_docs.c from the option tables.\n"
         "# SPDX-License-Identifier: MIT\n"
         "# shellcheck shell=bash disable=SC2207\n"
         "\n"
         "_vksim_words()\n"
         "{\n"
         "    COMPREPLY=($(compgen -W \"$1\" -- \"$cur\"))\n"
         "    if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *: ]]; then\n"
         "        compopt -o nospace\n"
         "    fi\n"
         "}\n"
         "\n"
         "# Files whose names end in one of the endings, and folders.\n"
         "_vksim_files()\n"
         "{\n"
         "    local file\n"
         "    compopt -o filenames\n"
         "    while IFS= read -r file; do\n"
         "        if [[ -d $file || $file =~ \\.($1)$ ]]; then\n"
         "            COMPREPLY+=(\"$file\")\n"
         "        fi\n"
         "    done < <(compgen -f -- \"$cur\")\n"
         "}\n"
         "\n"
         "_vksim()\n"
         "{\n"
         "    local cur=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
         "    local simulation='' options presets starts views option='' taking word i\n"
         "    COMPREPLY=()");
    printf("    local simulations='");
    for (size_t i = 0; vks_model_at(i); i++) {
        printf("%s%s", i ? " " : "", vks_model_at(i)->name);
    }
    printf("'\n    for ((i = 1; i < COMP_CWORD; i++)); do\n"
           "        word=${COMP_WORDS[i]}\n"
           "        if [[ -z $simulation && \" $simulations \" == *\" $word \"* ]]; then\n"
           "            simulation=$word\n"
           "        fi\n"
           "    done\n"
           "    options='");
    put_names(vks_cli_options);
    put_names(vks_common_options);
    printf("'\n    taking='");
    put_taking(vks_cli_options);
    put_taking(vks_common_options);
    printf("'\n    case ${simulation:-%s} in\n", vks_model_at(0)->name);
    for (size_t i = 0; vks_model_at(i); i++) {
        const struct vks_model *model = vks_model_at(i);
        const struct vks_preset *presets = vks_model_presets(model);
        const char *const *starts = vks_model_starts(model);
        printf("    %s)\n        presets='", model->name);
        for (size_t j = 0; presets[j].name; j++) {
            printf("%s%s", j ? " " : "", presets[j].name);
        }
        printf("'\n        starts='");
        for (size_t j = 0; starts[j]; j++) {
            printf("%s%s", j ? " " : "", starts[j]);
        }
        printf("%s'\n        views='", model->starts_from_image ? " image:" : "");
        for (size_t j = 0; model->views[j].name; j++) {
            printf("%s%s", j ? " " : "", model->views[j].name);
        }
        printf("'\n        options+='");
        put_names(model->options);
        printf("'\n        taking+='");
        put_taking(model->options);
        puts("'\n        ;;");
    }
    puts("    esac\n"
         "    # bash hands over --name=value and image:FILE as three words each.\n"
         "    if [[ $cur == = && $before == --* ]]; then\n"
         "        option=$before cur=\n"
         "    elif [[ $before == = && $COMP_CWORD -gt 2 ]]; then\n"
         "        option=${COMP_WORDS[COMP_CWORD-2]}\n"
         "    elif [[ \" $taking \" == *\" $before \"* ]]; then\n"
         "        option=$before\n"
         "    elif [[ $cur == : && $before == image ]]; then\n"
         "        cur=\n"
         "        _vksim_files 'png|jpg|jpeg|PNG|JPG|JPEG'\n"
         "        return\n"
         "    elif [[ $before == : && $COMP_CWORD -gt 2 &&\n"
         "            ${COMP_WORDS[COMP_CWORD-2]} == image ]]; then\n"
         "        _vksim_files 'png|jpg|jpeg|PNG|JPG|JPEG'\n"
         "        return\n"
         "    fi\n"
         "    case $option in\n"
         "    '')\n"
         "        if [[ $cur == -* || -n $simulation ]]; then\n"
         "            _vksim_words \"$options\"\n"
         "        else\n"
         "            _vksim_words \"$simulations $options\"\n"
         "        fi\n"
         "        return\n"
         "        ;;");
    const struct vks_option_table tables[] = {vks_cli_options, vks_common_options};
    for (size_t i = 0; i < VKS_COUNT(tables); i++) {
        for (size_t j = 0; j < tables[i].count; j++) {
            put_values(&tables[i].options[j], "    ");
        }
    }
    printf("    *)\n        case ${simulation:-%s}:$option in\n", vks_model_at(0)->name);
    for (size_t i = 0; vks_model_at(i); i++) {
        char indent[128];
        snprintf(indent, sizeof(indent), "        %s:", vks_model_at(i)->name);
        for (size_t j = 0; j < vks_model_at(i)->options.count; j++) {
            put_values(&vks_model_at(i)->options.options[j], indent);
        }
    }
    puts("        esac\n        ;;\n    esac\n}\ncomplete -F _vksim vksim");
}

int main(int argc, char **argv)
{
    if (vks_models_check(vks_cli_options) != VKS_OK) {
        fprintf(stderr, "%s\n", vks_error_text());
        return 1;
    }
    if (argc == 2 && strcmp(argv[1], "man") == 0) {
        put_page();
    } else if (argc == 2 && strcmp(argv[1], "bash") == 0) {
        put_completion();
    } else {
        fprintf(stderr, "usage: make_docs man|bash\n");
        return 2;
    }
    return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1;
}
