/* SPDX-License-Identifier: MIT */
#include "base/task.h"

#include <signal.h>
#include <stddef.h>

#include "base/clock.h"
#include "base/error.h"

static const double silence = 1, pause_between = 0.1; /* seconds without reports; between them */

static volatile sig_atomic_t wanted, interrupted;
static volatile sig_atomic_t waits; /* for what other processes say */
static _Thread_local struct vks_task *current;
static void (*report_to)(const char *what, double fraction);

void vks_interrupt(void)
{
    wanted = 1;
    if (!waits) {
        interrupted = 1;
    }
}

void vks_interrupt_together(void)
{
    waits = 1;
}

bool vks_interrupt_wanted(void)
{
    return wanted != 0;
}

void vks_interrupt_agreed(void)
{
    interrupted = 1;
}

bool vks_interrupted(void)
{
    return interrupted != 0;
}

void vks_task_report_to(void (*report)(const char *what, double fraction))
{
    report_to = report;
}

void vks_task_begin(struct vks_task *task, const char *what, uint64_t total)
{
    *task = (struct vks_task){.what = what, .total = total, .outer = current};
    task->begin = vks_seconds();
    current = task;
}

void vks_task_end(struct vks_task *task)
{
    current = task->outer;
}

static void report(struct vks_task *task)
{
    const double now = vks_seconds();
    if (now - task->begin < silence || now - task->reported < pause_between) {
        return;
    }
    task->reported = now;
    const double fraction = (double)task->done / (double)task->total;
    report_to(task->what, fraction < 1 ? fraction : 1);
}

enum vks_result vks_task_advance(uint64_t amount)
{
    struct vks_task *task = current;
    if (!task) {
        return VKS_OK;
    }
    task->done += amount;
    if (report_to && task->what && task->total > 0) {
        report(task);
    }
    return interrupted ? vks_fail(VKS_INTERRUPTED, "interrupted") : VKS_OK;
}
