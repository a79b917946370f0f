/* SPDX-License-Identifier: MIT */
/* The command `report`. */
#include <stdio.h>

#include "base/error.h"
#include "report/compare.h"
#include "tool/command.h"

const struct vks_option_table vks_report_options = {NULL, 0};

enum vks_result vks_command_report(struct vks_call *call)
{
    if (call->argument_count == 0) {
        return vks_fail(VKS_ERROR_USAGE, "report needs files: vksim report A.json B.json, as "
                                         "--timings=json prints them");
    }
    return vks_report_compare(stdout, call->arguments, call->argument_count);
}
