/* SPDX-License-Identifier: MIT */
/* make_completion bash|zsh|fish: prints the completion for a shell, generated from the tables of
 * commands, options and models. Run by docs/meson.build. */
#include <stdio.h>
#include <string.h>

#include "api/settings.h"
#include "base/memory.h"
#include "sim/registry.h"
#include "tool/cli.h"
#include "view/colormap.h"

/* The default command. */
static const char *run_name(void)
{
    return vks_commands[0].name ? vks_commands[0].name : "";
}

/* --- completion of values -------------------------------------------------------------------- */

struct values {
    char words[2048];     /* separated by spaces; "": any value */
    char extensions[256]; /* of files, separated by '|'; "": no files */
};

static void add(char *text, size_t size, const char *separator, const char *word)
{
    const size_t used = strlen(text);
    snprintf(text + used, size - used, "%s%s", used ? separator : "", word);
}

/* Words and files for an option's value; `model` is NULL for options of no simulation, where the
 * words depend on the simulation. */
static struct values values_of(const struct vks_option *option, const struct vks_model *model)
{
    struct values values = {"", ""};
    const char *argument = vks_option_argument(option);
    for (size_t i = 0; option->choices && option->choices[i]; i++) {
        add(values.words, sizeof(values.words), " ", option->choices[i]);
    }
    if (model && strcmp(option->name, "preset") == 0) {
        for (const struct vks_preset *preset = vks_model_presets(model); preset->name; preset++) {
            add(values.words, sizeof(values.words), " ", preset->name);
        }
    } else if (model && strcmp(option->name, "init") == 0) {
        for (const char *const *start = vks_model_starts(model); *start; start++) {
            add(values.words, sizeof(values.words), " ", *start);
        }
        add(values.words, sizeof(values.words), " ", model->starts_from_image ? "image:" : "");
    } else if (model && strcmp(option->name, "view") == 0) {
        for (const struct vks_view *view = model->views; view->name; view++) {
            add(values.words, sizeof(values.words), " ", view->name);
        }
    } else if (model && strcmp(option->name, "variant") == 0) {
        add(values.words, sizeof(values.words), " ", "auto");
        for (const struct vks_variant_row *row = model->variants; row && row->name; row++) {
            if (row->max == 0) { /* one variant, not one per number */
                add(values.words, sizeof(values.words), " ", row->name);
            }
        }
    } else if (strcmp(option->name, "normalize") == 0) {
        add(values.words, sizeof(values.words), " ", "frame smooth fixed:");
    } else if (strcmp(option->name, "colormap") == 0) {
        for (size_t i = 0; vks_colormap_names[i]; i++) {
            add(values.words, sizeof(values.words), " ", vks_colormap_names[i]);
        }
        add(values.extensions, sizeof(values.extensions), "|", "csv|txt|png");
    } else if (strncmp(argument, "FILE.", 5) == 0) {
        add(values.extensions, sizeof(values.extensions), "|", argument + 5);
    } else if (strcmp(argument, "DIR") == 0) { /* no file's name ends like this, so only folders */
        add(values.extensions, sizeof(values.extensions), "|", "/");
    } else if (strcmp(argument, "FILE") == 0) {
        add(values.extensions, sizeof(values.extensions), "|", "csv|json");
    } else if (strcmp(argument, "PATH") == 0) {
#define VKS_FORMAT(extension, backend, depths, flags, content) \
    add(values.extensions, sizeof(values.extensions), "|", &(extension)[1]);
#include "frames/formats.def"
#undef VKS_FORMAT
    }
    return values;
}

/* Whether the next word may be the value of the option. */
static bool takes_word(const struct vks_option *option)
{
    return option->type != VKS_OPTION_FLAG && !option->implied;
}

/* Calls `put` for every option of a command, with the simulation for those that have one. */
static void each_option(const struct vks_command *command, const struct vks_model *model,
                        void (*put)(const struct vks_option *option, const struct vks_model *model))
{
    struct vks_option_table tables[VKS_COMMAND_TABLES];
    vks_command_tables(command, model, tables);
    for (size_t t = 0; t < VKS_COUNT(tables); t++) {
        for (size_t i = 0; i < tables[t].count; i++) {
            put(&tables[t].options[i], model);
        }
    }
}

/* Calls `put` for every context: a command, or a command with a simulation. */
static void each_context(void (*put)(const struct vks_command *command,
                                     const struct vks_model *model))
{
    for (const struct vks_command *command = vks_commands; command->name; command++) {
        if (!command->has_simulation) {
            put(command, NULL);
        }
        for (size_t i = 0; command->has_simulation && vks_model_at(i); i++) {
            put(command, vks_model_at(i));
        }
    }
}

static void put_first_words(void)
{
    for (const struct vks_command *command = vks_commands; command->name; command++) {
        printf("%s ", command->name);
    }
    for (size_t i = 0; vks_model_at(i); i++) {
        printf("%s%s", i ? " " : "", vks_model_at(i)->name);
    }
}

static void put_simulations(void)
{
    for (size_t i = 0; vks_model_at(i); i++) {
        printf("%s%s", i ? " " : "", vks_model_at(i)->name);
    }
}

static void put_commands(void)
{
    for (const struct vks_command *command = vks_commands; command->name; command++) {
        printf("%s%s", command == vks_commands ? "" : " ", command->name);
    }
}

/* The words that a command's arguments may be. */
static void put_words(const struct vks_command *command)
{
    for (size_t i = 0; command->word(i); i++) {
        printf("%s%s", i ? " " : "", command->word(i));
    }
}

/* --- bash ------------------------------------------------------------------------------------ */

static void put_bash_name(const struct vks_option *option, const struct vks_model *model)
{
    (void)model;
    printf(" --%s", option->name);
}

static void put_bash_taking(const struct vks_option *option, const struct vks_model *model)
{
    (void)model;
    if (takes_word(option)) {
        printf(" --%s", option->name);
    }
    if (takes_word(option) && option->letter) {
        printf(" -%c", option->letter);
    }
}

static void put_bash_value(const struct vks_option *option, const struct vks_model *model)
{
    const struct values values = values_of(option, model);
    if (values.words[0] || values.extensions[0]) {
        const char letter[] = {'|', '-', option->letter, '\0'};
        printf("        --%s%s) _vksim_value '%s' '%s' ;;\n", option->name,
               option->letter ? letter : "", values.words, values.extensions);
    }
}

static void put_bash_names(const struct vks_command *command, const struct vks_model *model)
{
    printf("    %s:%s)\n        options='", command->name, model ? model->name : "");
    each_option(command, model, put_bash_name);
    printf("'\n        taking='");
    each_option(command, model, put_bash_taking);
    printf("'\n        ;;\n");
}

static void put_bash_values(const struct vks_command *command, const struct vks_model *model)
{
    printf("    %s:%s)\n        case $option in\n", command->name, model ? model->name : "");
    each_option(command, model, put_bash_value);
    printf("        esac\n        ;;\n");
}

static void put_bash(void)
{
    puts("# bash completion for vksim. Made by tools/make_completion.c.\n"
         "# SPDX-License-Identifier: MIT\n"
         "# shellcheck shell=bash disable=SC2207\n"
         "\n"
         "# _vksim_value WORDS EXTENSIONS: words, then folders and files with these extensions.\n"
         "_vksim_value()\n"
         "{\n"
         "    local file\n"
         "    COMPREPLY=($(compgen -W \"$1\" -- \"$cur\"))\n"
         "    if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *: ]]; then\n"
         "        compopt -o nospace\n"
         "    fi\n"
         "    [[ -n $2 ]] || return\n"
         "    compopt -o filenames\n"
         "    while IFS= read -r file; do\n"
         "        if [[ -d $file || $file =~ \\.($2)$ ]]; then\n"
         "            COMPREPLY+=(\"$file\")\n"
         "        fi\n"
         "    done < <(compgen -f -- \"$cur\")\n"
         "}\n"
         "\n"
         "_vksim()\n"
         "{\n"
         "    local cur=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
         "    local command simulation='' options taking option='' word i\n"
         "    COMPREPLY=()");
    printf("    command=%s\n    case ${COMP_WORDS[1]} in\n", run_name());
    for (const struct vks_command *command = vks_commands + 1; command->name; command++) {
        printf("    %s) command=%s ;;\n", command->name, command->name);
    }
    printf("    esac\n    if [[ $command == %s ]]; then\n        simulation=%s\n"
           "        for ((i = COMP_CWORD - 1; i > 0; i--)); do\n"
           "            word=${COMP_WORDS[i]}\n"
           "            if [[ ' ",
           run_name(), vks_model_at(0)->name);
    put_simulations();
    puts(" ' == *\" $word \"* ]]; then\n"
         "                simulation=$word\n"
         "            fi\n"
         "        done\n"
         "    fi\n"
         "    case $command:$simulation in");
    each_context(put_bash_names);
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
         "        _vksim_value '' 'png|jpg|jpeg|PNG|JPG|JPEG'\n"
         "        return\n"
         "    elif [[ $before == : && $COMP_CWORD -gt 2 &&\n"
         "            ${COMP_WORDS[COMP_CWORD-2]} == image ]]; then\n"
         "        _vksim_value '' 'png|jpg|jpeg|PNG|JPG|JPEG'\n"
         "        return\n"
         "    fi\n"
         "    if [[ -z $option ]]; then");
    printf("        if [[ $cur == -* ]]; then\n"
           "            _vksim_value \"$options\" ''\n"
           "        elif [[ $COMP_CWORD -eq 1 ]]; then\n"
           "            _vksim_value '");
    put_first_words();
    printf("' ''\n        elif [[ $command == %s ]]; then\n            _vksim_value '", run_name());
    put_simulations();
    printf("' ''\n");
    for (const struct vks_command *command = vks_commands; command->name; command++) {
        if (command->word) {
            printf("        elif [[ $command == %s ]]; then\n            _vksim_value '",
                   command->name);
            put_words(command);
            printf("' ''\n");
        }
    }
    puts("        fi\n        return\n    fi\n    case $command:$simulation in");
    each_context(put_bash_values);
    puts("    esac\n}\ncomplete -F _vksim vksim");
}

/* --- zsh ------------------------------------------------------------------------------------- */

/* Help in the brackets of a single-quoted specification. */
static void put_zsh_text(const char *text)
{
    for (; *text; text++) {
        if (*text == '[' || *text == ']' || *text == ':' || *text == '\\') {
            printf("\\%c", *text);
        } else if (*text == '\'') {
            printf("'\\''");
        } else {
            putchar(*text);
        }
    }
}

/* What follows the name of an option. */
static void put_zsh_rest(const struct vks_option *option, const struct vks_model *model)
{
    const struct values values = values_of(option, model);
    printf("[");
    put_zsh_text(option->help);
    printf("]");
    if (option->type != VKS_OPTION_FLAG) {
        printf("%s%s:", option->implied ? "::" : ":", vks_option_argument(option));
        if (values.words[0] && values.extensions[0]) {
            printf("{compadd -- %s; _files -g \"*.(%s)\"}", values.words, values.extensions);
        } else if (values.words[0]) {
            printf("{compadd -- %s}", values.words);
        } else if (strcmp(values.extensions, "/") == 0) {
            printf("_files -/");
        } else if (values.extensions[0]) {
            printf("_files -g \"*.(%s)\"", values.extensions);
        } else {
            printf(" ");
        }
    }
    printf("'\n");
}

static void put_zsh_option(const struct vks_option *option, const struct vks_model *model)
{
    printf("            '--%s%s", option->name,
           option->type == VKS_OPTION_FLAG ? ""
           : option->implied               ? "=-"
                                           : "=");
    put_zsh_rest(option, model);
    if (option->letter) {
        printf("            '-%c", option->letter);
        put_zsh_rest(option, model);
    }
}

static void put_zsh_context(const struct vks_command *command, const struct vks_model *model)
{
    printf("    %s:%s)\n        specs=(\n", command->name, model ? model->name : "");
    each_option(command, model, put_zsh_option);
    printf("        )\n");
    if (command->word) {
        printf("        arguments='");
        put_words(command);
        printf("'\n");
    }
    printf("        ;;\n");
}

static void put_zsh(void)
{
    printf("#compdef vksim\n"
           "# zsh completion for vksim. Made by tools/make_completion.c.\n"
           "# SPDX-License-Identifier: MIT\n"
           "\n"
           "_vksim()\n"
           "{\n"
           "    local command=%s simulation='' word\n"
           "    local -a specs\n"
           "    local arguments='",
           run_name());
    put_first_words();
    printf("'\n    case ${words[2]} in\n");
    for (const struct vks_command *command = vks_commands + 1; command->name; command++) {
        printf("    %s) command=%s ;;\n", command->name, command->name);
    }
    printf("    esac\n    if [[ $command == %s ]]; then\n        simulation=%s\n"
           "        for word in ${words[2,CURRENT-1]}; do\n"
           "            case $word in\n",
           run_name(), vks_model_at(0)->name);
    for (size_t i = 0; vks_model_at(i); i++) {
        printf("            %s) simulation=%s ;;\n", vks_model_at(i)->name, vks_model_at(i)->name);
    }
    puts("            esac\n"
         "        done\n"
         "    fi\n"
         "    case $command:$simulation in");
    each_context(put_zsh_context);
    puts("    esac\n    _arguments -S : $specs \"*:argument:($arguments)\"\n}\n\n_vksim \"$@\"");
}

/* --- fish ------------------------------------------------------------------------------------ */

static const char *fish_condition;

static void put_fish_text(const char *text)
{
    putchar('\'');
    for (; *text; text++) {
        printf(*text == '\'' || *text == '\\' ? "\\%c" : "%c", *text);
    }
    putchar('\'');
}

static void put_fish_option(const struct vks_option *option, const struct vks_model *model)
{
    const struct values values = values_of(option, model);
    printf("complete -c vksim -n '%s' -l %s", fish_condition, option->name);
    if (option->letter) {
        printf(" -s %c", option->letter);
    }
    if (takes_word(option)) {
        printf(values.extensions[0] ? " -r -F" : " -x");
    }
    if (values.words[0] && takes_word(option)) {
        printf(" -a '%s'", values.words);
    }
    printf(" -d ");
    put_fish_text(option->help);
    printf("\n");
}

static void put_fish_context(const struct vks_command *command, const struct vks_model *model)
{
    static char condition[128];
    snprintf(condition, sizeof(condition), "__vksim_is %s %s", command->name,
             model ? model->name : "");
    fish_condition = condition;
    each_option(command, model, put_fish_option);
    if (command->word) {
        printf("complete -c vksim -n '%s' -a '", fish_condition);
        put_words(command);
        printf("'\n");
    }
}

static void put_fish(void)
{
    printf("# fish completion for vksim. Made by tools/make_completion.c.\n"
           "# SPDX-License-Identifier: MIT\n"
           "\n"
           "# __vksim_is COMMAND SIMULATION: whether the command line is of both.\n"
           "function __vksim_is\n"
           "    set -l tokens (commandline -opc)\n"
           "    set -l command %s\n"
           "    set -l simulation\n"
           "    if contains -- \"$tokens[2]\" ",
           run_name());
    put_commands();
    printf("\n        set command $tokens[2]\n    end\n    if test $command = %s\n"
           "        set simulation %s\n        for token in $tokens[-1..2]\n"
           "            if contains -- $token ",
           run_name(), vks_model_at(0)->name);
    put_simulations();
    puts("\n                set simulation $token\n            end\n        end\n    end\n"
         "    test \"$command $simulation\" = \"$argv[1] $argv[2]\"\n"
         "end\n"
         "\n"
         "complete -c vksim -f");
    for (const struct vks_command *command = vks_commands; command->name; command++) {
        printf("complete -c vksim -n __fish_use_subcommand -a %s -d ", command->name);
        put_fish_text(command->summary);
        printf("\n");
    }
    for (size_t i = 0; vks_model_at(i); i++) {
        printf("complete -c vksim -n __fish_use_subcommand -a %s -d ", vks_model_at(i)->name);
        put_fish_text(vks_model_at(i)->summary);
        printf("\n");
    }
    each_context(put_fish_context);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*put)(void);
    } shells[] = {{"bash", put_bash}, {"zsh", put_zsh}, {"fish", put_fish}};
    for (size_t i = 0; argc == 2 && i < VKS_COUNT(shells); i++) {
        if (strcmp(argv[1], shells[i].name) == 0) {
            shells[i].put();
            return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1;
        }
    }
    fprintf(stderr, "usage: make_completion bash|zsh|fish\n");
    return 2;
}
