/* SPDX-License-Identifier: MIT */
/* The plug-ins that are loaded, and which model is of which. */
#include <pthread.h>
#include <string.h>

#include "formula/plugin.h"

static struct vks_loaded_plugin *plugins;
static pthread_mutex_t listing = PTHREAD_MUTEX_INITIALIZER; /* `plugins` */

void vks_plugins_add(struct vks_loaded_plugin *plugin)
{
    pthread_mutex_lock(&listing);
    plugin->next = plugins;
    plugins = plugin;
    pthread_mutex_unlock(&listing);
}

void vks_plugins_remove(struct vks_loaded_plugin *plugin)
{
    struct vks_loaded_plugin **at = &plugins;
    pthread_mutex_lock(&listing);
    while (*at != plugin) {
        at = &(*at)->next;
    }
    *at = plugin->next;
    pthread_mutex_unlock(&listing);
}

struct vks_loaded_plugin *vks_plugins_find(const struct vks_plugin *source)
{
    pthread_mutex_lock(&listing);
    struct vks_loaded_plugin *plugin = plugins;
    while (plugin && plugin->source != source) {
        plugin = plugin->next;
    }
    pthread_mutex_unlock(&listing);
    return plugin;
}

static bool has_model(const struct vks_loaded_plugin *plugin, const struct vks_model *model)
{
    size_t i = 0;
    while (plugin->models[i] && plugin->models[i] != model) {
        i++;
    }
    return plugin->models[i] != NULL;
}

const struct vks_loaded_plugin *vks_plugin_of(const struct vks_model *model)
{
    pthread_mutex_lock(&listing);
    const struct vks_loaded_plugin *plugin = plugins;
    while (plugin && !has_model(plugin, model)) {
        plugin = plugin->next;
    }
    pthread_mutex_unlock(&listing);
    return plugin;
}

const struct vks_model *vks_plugin_model(const struct vks_loaded_plugin *plugin, const char *name)
{
    const struct vks_model *const *model = plugin ? plugin->models : NULL;
    while (model && *model && strcmp((*model)->name, name) != 0) {
        model++;
    }
    return model ? *model : NULL;
}
