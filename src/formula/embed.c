/* SPDX-License-Identifier: MIT */
/* Models from files in scenes, presets and state files: the key "formula" has the text of a
 * formula, "shaders" the digest of a folder with shaders, "plugin" that of a plug-in. */
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/number.h"
#include "formula/folder.h"
#include "formula/plugin.h"
#include "sim/registry.h"

static const char key[] = "formula";

char *vks_formula_canonical(const json_t *json)
{
    char *text = vks_json_dump(json, JSON_COMPACT);
    if (text) {
        vks_shorten_reals(text); /* versions of jansson write others */
    }
    return text;
}

/* The digest of the files of a model that is not one of formulas; key NULL: it has none. */
struct version {
    const char *key, *path, *digest;
};

static struct version version_of(const struct vks_model *model)
{
    const struct vks_loaded_plugin *plugin = vks_plugin_of(model);
    if (plugin) {
        return (struct version){"plugin", plugin->path, plugin->version};
    }
    const struct vks_formula *f = vks_is_folder(model) ? model->user : NULL;
    return f ? (struct version){"shaders", f->path, f->folder->version} : (struct version){0};
}

enum vks_result vks_formula_embed(const struct vks_model *model, json_t *object)
{
    const struct vks_formula *f = vks_is_formula(model) ? model->user : NULL;
    const struct version own = version_of(model);
    const bool good =
        (!f || json_object_set_new(object, key, json_string(f->canonical)) == 0) &&
        (!own.key || json_object_set_new(object, own.key, json_string(own.digest)) == 0);
    return good ? VKS_OK : vks_fail_memory();
}

/* The formula of an object, a new reference; NULL: there is none, or with a message. */
static enum vks_result find(const json_t *object, const char *path, json_t **formula)
{
    json_error_t error;
    const json_t *held = json_object_get(object, key);
    const char *text = json_string_value(held);
    *formula =
        text ? vks_json_load(text, json_string_length(held), JSON_REJECT_DUPLICATES, &error) : NULL;
    return !held || *formula
               ? VKS_OK
               : vks_fail(VKS_ERROR_USAGE, "'%s': \"%s\" must be the text of a formula", path, key);
}

enum vks_result vks_formula_take(const json_t *object, const char *path,
                                 const struct vks_model **model)
{
    json_t *formula;
    enum vks_result result = find(object, path, &formula);
    const char *text = json_string_value(json_object_get(object, key));
    const char *name = json_string_value(json_object_get(formula, "name"));
    *model = NULL;
    if (result == VKS_OK && formula && !(name && vks_model_known(name))) {
        result = vks_formula_parse(text, strlen(text), path, model);
        result = result == VKS_ERROR_FILE ? VKS_ERROR_USAGE : result;
    }
    json_decref(formula);
    return result;
}

static enum vks_result fail_version(const char *path, const struct vks_model *model,
                                    const char *held, struct version own)
{
    return vks_fail(VKS_ERROR_USAGE,
                    "'%s' has another version of %s, whose digest is %s; that of '%s' is %s", path,
                    model->name, held, own.path, own.digest);
}

/* The same for the digest of a folder with shaders or of a plug-in. */
static enum vks_result compare_digest(const json_t *object, const char *path,
                                      const struct vks_model *model)
{
    static const struct {
        const char *key, *kind;
    } kinds[] = {{"shaders", "a folder with shaders"}, {"plugin", "a plug-in"}};
    const struct version own = version_of(model);
    enum vks_result result = VKS_OK;
    for (size_t i = 0; i < VKS_COUNT(kinds) && result == VKS_OK; i++) {
        const json_t *value = json_object_get(object, kinds[i].key);
        const char *held = json_string_value(value);
        const bool is_own = own.key && strcmp(own.key, kinds[i].key) == 0;
        if (value && !held) {
            result = vks_fail(VKS_ERROR_USAGE, "'%s': \"%s\" must be a digest", path, kinds[i].key);
        } else if (held && !is_own) {
            result = vks_fail(VKS_ERROR_USAGE, "'%s' is of %s, which %s is not", path,
                              kinds[i].kind, model->name);
        } else if (held && strcmp(held, own.digest) != 0) {
            result = fail_version(path, model, held, own);
        }
    }
    return result;
}

enum vks_result vks_formula_compare(const json_t *object, const char *path,
                                    const struct vks_model *model)
{
    const struct vks_formula *f = vks_is_formula(model) ? model->user : NULL;
    char held[33] = "", own[33] = "";
    json_t *formula;
    enum vks_result result = find(object, path, &formula);
    char *text = formula ? vks_formula_canonical(formula) : NULL;
    if (formula && !text) {
        result = vks_fail_memory();
    } else if (formula) {
        vks_digest_of(text, strlen(text), held);
    }
    if (f) {
        vks_digest_of(f->canonical, strlen(f->canonical), own);
    }
    if (result == VKS_OK && formula && strcmp(held, own) != 0) {
        result =
            f ? fail_version(path, model, held, (struct version){key, f->path, own})
              : vks_fail(VKS_ERROR_USAGE, "'%s' has a formula, which %s is not", path, model->name);
    }
    free(text);
    json_decref(formula);
    return result == VKS_OK ? compare_digest(object, path, model) : result;
}
