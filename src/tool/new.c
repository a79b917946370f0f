/* SPDX-License-Identifier: MIT */
/* The command `new`: a folder with a simulation to change. */
#include "tool/new.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "sim/registry.h"
#include "tool/command.h"

enum { MAX_NAME = 40 };

struct values {
    uint32_t kind;
};

static const char *const kinds[] = {"formula", "shaders", "plugin", NULL};

static const struct vks_option rows[] = {
    {.name = "kind",
     .type = VKS_OPTION_CHOICE,
     .offset = offsetof(struct values, kind),
     .choices = kinds,
     .default_text = "formula",
     .argument = "KIND",
     .help = "what the simulation is made from: formula, a file of equations, shaders, a folder of "
             "GLSL, or plugin, a shared library in C with its shaders"},
};

const struct vks_option_table vks_new_options = {rows, VKS_COUNT(rows)};

/* Names of simulations are words of the command line and of state files. */
static enum vks_result check_name(const char *name)
{
    const size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-");
    if (name[0] < 'a' || name[0] > 'z' || name[length] != '\0' || length > MAX_NAME) {
        return vks_fail(VKS_ERROR_USAGE,
                        "'%s' is not a name for a simulation: it begins with a letter and has only "
                        "a to z, 0 to 9 and '-', %d at most",
                        name, MAX_NAME);
    }
    for (const struct vks_command *command = vks_commands; command->name; command++) {
        if (strcmp(command->name, name) == 0) {
            return vks_fail(VKS_ERROR_USAGE, "'%s' is a command of vksim; choose another name",
                            name);
        }
    }
    return vks_model_known(name)
               ? vks_fail(VKS_ERROR_USAGE, "'%s' is a simulation of vksim; choose another name",
                          name)
               : VKS_OK;
}

/* The text with the name in place of each NAME, to be freed. */
static char *replace(const char *text, const char *name)
{
    char *whole = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&whole, &size);
    if (!out) {
        return NULL;
    }
    for (const char *at; (at = strstr(text, "NAME")) != NULL; text = at + strlen("NAME")) {
        fprintf(out, "%.*s%s", (int)(at - text), text, name);
    }
    fputs(text, out);
    if (fclose(out) != 0) {
        free(whole);
        return NULL;
    }
    return whole;
}

static char *join_lines(const char *const *lines)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    for (size_t i = 0; out && lines[i]; i++) {
        fputs(lines[i], out);
    }
    if (out && fclose(out) != 0) {
        free(text);
        text = NULL;
    }
    return text;
}

/* The path of a template's file in the folder, to be freed. */
static char *path_of(const struct vks_template *template, const char *name)
{
    char *file = replace(template->file, name);
    char *path = file ? vks_format("%s/%s", name, file) : NULL;
    free(file);
    return path;
}

static enum vks_result write_file(const struct vks_template *template, const char *name)
{
    char *path = path_of(template, name);
    char *lines = join_lines(template->lines);
    char *text = lines ? replace(lines, name) : NULL;
    enum vks_result result =
        path && text ? vks_write_file(path, false, text, strlen(text)) : vks_fail_memory();
    if (result == VKS_OK && strncmp(text, "#!", 2) == 0) {
        struct stat info;
        const mode_t all = S_IXUSR | S_IXGRP | S_IXOTH;
        /* Whoever may read it may run it. */
        if (stat(path, &info) != 0 || chmod(path, info.st_mode | (info.st_mode >> 2 & all)) != 0) {
            result = vks_fail_write(path, errno);
        }
    }
    free(text);
    free(lines);
    free(path);
    return result;
}

/* Removes what was written, and the folder. */
static void remove_all(const char *kind, const char *name)
{
    for (const struct vks_template *template = vks_templates; template->kind; template ++) {
        char *path = strcmp(template->kind, kind) == 0 ? path_of(template, name) : NULL;
        if (path) {
            (void)unlink(path);
        }
        free(path);
    }
    (void)rmdir(name);
}

/* Says how to run what was written. */
static void tell(const char *kind, const char *name)
{
    if (strcmp(kind, "plugin") == 0) {
        vks_message(VKS_LOG_INFO,
                    "wrote %s; build it with meson setup %s/build %s && meson compile -C %s/build, "
                    "and run it with vksim %s/build/lib%s.so",
                    name, name, name, name, name, name);
        return;
    }
    const bool is_file = strcmp(kind, "formula") == 0;
    vks_message(VKS_LOG_INFO, "wrote %s; run it with vksim %s%s%s%s, and its test with %s/test",
                name, name, is_file ? "/" : "", is_file ? name : "", is_file ? ".json" : "", name);
}

static enum vks_result write_folder(const char *kind, const char *name)
{
    enum vks_result result = VKS_OK;
    if (mkdir(name, 0777) != 0) {
        return errno == EEXIST
                   ? vks_fail(VKS_ERROR_FILE, "'%s' exists already; choose another name", name)
                   : vks_fail(VKS_ERROR_FILE, "cannot make the folder '%s': %s", name,
                              vks_errno_text(errno));
    }
    for (const struct vks_template *template = vks_templates; template->kind && result == VKS_OK;
         template ++) {
        result = strcmp(template->kind, kind) == 0 ? write_file(template, name) : VKS_OK;
    }
    if (result != VKS_OK) {
        struct vks_error why;
        vks_error_keep(result, &why);
        remove_all(kind, name);
        return vks_fail_again(&why);
    }
    tell(kind, name);
    return VKS_OK;
}

enum vks_result vks_command_new(struct vks_call *call)
{
    struct values values = {0};
    enum vks_result result = vks_call_values(call, &values);
    if (result == VKS_OK && call->argument_count == 0) {
        result = vks_fail(VKS_ERROR_USAGE, "new needs the name of the simulation: vksim new waves");
    }
    if (result == VKS_OK) {
        result = check_name(call->arguments[0]);
    }
    if (result == VKS_OK) {
        result = write_folder(kinds[values.kind], call->arguments[0]);
    }
    vks_options_free(vks_new_options, &values);
    return result;
}
