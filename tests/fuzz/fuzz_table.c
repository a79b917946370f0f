/* SPDX-License-Identifier: MIT */
/* Tables of numbers: .csv and .npy files, from any bytes. */
#include "fuzz.h"

#include <math.h>
#include <stdbool.h>

#include "base/error.h"
#include "io/table.h"

enum { MIN_COLUMNS = 2, MAX_COLUMNS = 5 };

unsigned long fuzz_taken;

struct rows {
    uint64_t count;
    uint32_t columns;
};

static enum vks_result take_row(void *user, uint64_t number, const double *values, uint32_t count)
{
    struct rows *rows = user;
    fuzz_require(number > rows->count, "rows are in order");
    fuzz_require(count >= MIN_COLUMNS && count <= MAX_COLUMNS, "with the columns that were asked");
    fuzz_require(rows->count == 0 || count == rows->columns, "as many in each");
    for (uint32_t i = 0; i < count; i++) {
        fuzz_require(isfinite(values[i]), "values are finite");
    }
    rows->count = number;
    rows->columns = count;
    return VKS_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const bool is_array = size > 0 && data[0] == 0x93;
    struct rows rows = {0};
    if (fuzz_folder[0] == '\0') {
        fuzz_enter_folder();
    }
    const char *path = is_array ? "table.npy" : "table.csv";
    fuzz_write_file(path, data, size);
    const enum vks_result result = vks_table_read(path, MIN_COLUMNS, MAX_COLUMNS, take_row, &rows);
    fuzz_require(result == VKS_OK || result == VKS_ERROR_FILE, "only files fail");
    fuzz_require(result == VKS_OK || strlen(vks_error_text()) > 10, "a failure has a sentence");
    fuzz_taken += result == VKS_OK;
    return 0;
}
