/* SPDX-License-Identifier: MIT */
#include "report/html.h"

#include <png.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/number.h"
#include "report/report.h"

#if !VKS_HAVE_REPORT
const struct vks_page vks_page_runs, vks_page_scaling, vks_page_ladder, vks_page_access,
    vks_page_sensitivity;
#endif

enum vks_result vks_html_available(void)
{
    return VKS_HAVE_REPORT ? VKS_OK
                           : vks_fail(VKS_ERROR_USAGE, "this vksim was built without Chart.js and "
                                                       "cannot write HTML reports");
}

enum vks_result vks_html_check(const char *path, bool overwrite)
{
    struct vks_atomic_file file = {0};
    enum vks_result result = vks_html_available();
    if (result == VKS_OK && strcmp(path, "-") == 0) {
        result = vks_fail(VKS_ERROR_USAGE, "a page cannot be written to standard output; name a "
                                           "file ('./-' is one called '-')");
    }
    if (result == VKS_OK) {
        result = vks_atomic_file_begin(&file, path, overwrite);
    }
    vks_atomic_file_abort(&file);
    return result;
}

/* --- the file -------------------------------------------------------------------------------- */

struct content {
    const struct vks_page *page;
    const char *document;
};

static void print_texts(FILE *out, const char *const *texts)
{
    for (; *texts; texts++) {
        fputs(*texts, out);
    }
}

/* The document is ASCII; without <, > and & nothing in it ends its element. */
static enum vks_result print_page(FILE *out, const void *user)
{
    const struct content *content = user;
    print_texts(out, content->page->before);
    for (const char *at = content->document; *at; at++) {
        if (strchr("<>&", *at)) { /* only strings have them */
            fprintf(out, "\\u%04x", (unsigned)*at);
        } else {
            fputc(*at, out);
        }
    }
    print_texts(out, content->page->after);
    return VKS_OK;
}

/* Takes the document; NULL: memory ran out. */
static enum vks_result write_document(const char *path, bool overwrite, const struct vks_page *page,
                                      json_t *document)
{
    char *text = document ? vks_json_dump(document, JSON_COMPACT | JSON_ENSURE_ASCII) : NULL;
    enum vks_result result = vks_html_available();
    json_decref(document);
    if (result == VKS_OK && !text) {
        result = vks_fail_memory();
    }
    if (result == VKS_OK) {
        vks_shorten_reals(text);
        result = vks_print_file(path, overwrite, print_page, &(struct content){page, text});
    }
    free(text);
    return result;
}

enum vks_result vks_html_write(const char *path, bool overwrite, const struct vks_page *page,
                               json_t *report, json_t *pictures)
{
    return write_document(path, overwrite, page,
                          json_pack("{s:[o], s:[o]}", "reports", report, "pictures", pictures));
}

/* --- runs ------------------------------------------------------------------------------------ */

/* "data:image/png;base64,...", to be freed; NULL when memory ran out. */
static char *data_uri(const uint8_t *bytes, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    static const char head[] = "data:image/png;base64,";
    char *uri = malloc(sizeof(head) + (size + 2) / 3 * 4), *at = uri;
    if (!uri) {
        return NULL;
    }
    memcpy(at, head, sizeof(head) - 1);
    at += sizeof(head) - 1;
    for (size_t i = 0; i < size; i += 3) {
        const uint32_t word = (uint32_t)bytes[i] << 16 |
                              (i + 1 < size ? (uint32_t)bytes[i + 1] << 8 : 0) |
                              (i + 2 < size ? bytes[i + 2] : 0U);
        *at++ = digits[word >> 18];
        *at++ = digits[word >> 12 & 63];
        *at++ = i + 1 < size ? digits[word >> 6 & 63] : '=';
        *at++ = i + 2 < size ? digits[word & 63] : '=';
    }
    *at = '\0';
    return uri;
}

json_t *vks_html_picture(const char *caption, const uint8_t *png, size_t size, uint32_t width,
                         uint32_t height)
{
    char *uri = data_uri(png, size);
    json_t *picture = uri ? json_pack("{s:s, s:s, s:i, s:i}", "caption", caption, "src", uri,
                                      "width", (int)width, "height", (int)height)
                          : NULL;
    free(uri);
    return picture;
}

/* Appends the picture, compressed as PNG. */
static enum vks_result add_picture(json_t *list, const struct vks_thumbnail *thumbnail)
{
    png_image image = {
        .version = PNG_IMAGE_VERSION,
        .width = thumbnail->width,
        .height = thumbnail->height,
        .format = PNG_FORMAT_RGBA,
    };
    png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
    uint8_t *bytes = malloc(size);
    enum vks_result result = bytes ? VKS_OK : vks_fail_memory();
    if (bytes && !png_image_write_to_memory(&image, bytes, &size, 0, thumbnail->pixels,
                                            (png_int_32)thumbnail->stride, NULL)) {
        result = vks_fail(VKS_ERROR_FILE, "a picture of the report cannot be compressed: %s",
                          image.message);
    }
    if (result == VKS_OK) {
        json_t *picture =
            vks_html_picture(thumbnail->caption, bytes, size, image.width, image.height);
        result = picture && json_array_append_new(list, picture) == 0 ? VKS_OK : vks_fail_memory();
    }
    free(bytes);
    return result;
}

/* Appends a run's report, name and pictures to the document. */
static enum vks_result add_run(json_t *document, const struct vks_html_run *run)
{
    json_t *pictures = json_array();
    struct vks_thumbnail thumbnail;
    enum vks_result result = VKS_OK;
    const bool added =
        json_array_append(json_object_get(document, "reports"), (json_t *)(uintptr_t)run->report) ==
            0 &&
        json_array_append_new(json_object_get(document, "names"),
                              vks_report_string(run->name ? run->name : "this run")) == 0 &&
        json_array_append_new(json_object_get(document, "pictures"), pictures) == 0;
    if (!added) {
        return vks_fail_memory();
    }
    for (size_t i = 0; i < VKS_HTML_PICTURES && run->thumbnails && result == VKS_OK; i++) {
        if (vks_collage_thumbnail(run->thumbnails, i, &thumbnail)) { /* the run got that far */
            result = add_picture(pictures, &thumbnail);
        }
    }
    return result;
}

enum vks_result vks_report_html_file(const char *path, bool overwrite,
                                     const struct vks_html_run *runs, size_t count)
{
    json_t *document = json_pack("{s:[], s:[], s:[]}", "reports", "names", "pictures");
    enum vks_result result = document ? VKS_OK : vks_fail_memory();
    for (size_t i = 0; i < count && result == VKS_OK; i++) {
        result = add_run(document, &runs[i]);
    }
    if (result != VKS_OK) {
        json_decref(document);
        return result;
    }
    return write_document(path, overwrite, &vks_page_runs, document);
}
