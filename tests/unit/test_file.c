/* SPDX-License-Identifier: MIT */
/* Files that appear whole or not at all, and the words for what stops them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "folder.h"

static int make_folder(void **state)
{
    (void)state;
    signal(SIGXFSZ, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    return create_folder("file");
}

/* Removes what the test left; fails if that was a part file. */
static int empty_folder(void **state)
{
    (void)state;
    int parts = 0;
    DIR *entries = opendir(folder);
    const struct dirent *entry = NULL;
    while (entries && (entry = readdir(entries))) {
        if (entry->d_name[0] == '.' && (!entry->d_name[1] || entry->d_name[1] == '.')) {
            continue;
        }
        if (strstr(entry->d_name, ".part-")) {
            fprintf(stderr, "left behind: %s\n", entry->d_name);
            parts++;
        }
        if (remove(in_folder(entry->d_name)) != 0) {
            parts++;
        }
    }
    if (entries) {
        closedir(entries);
    }
    return parts == 0 ? 0 : -1;
}

static void begin_refuses(const char *path, bool overwrite, const char *words)
{
    struct vks_atomic_file file;
    const enum vks_result expected =
        strcmp(words, "exists already") == 0 ? VKS_ERROR_EXISTS : VKS_ERROR_FILE;
    memset(&file, 0x5a, sizeof(file));
    assert_int_equal(vks_atomic_file_begin(&file, path, overwrite), expected);
    assert_says(words);
    assert_null(file.path);
    assert_null(file.part.path);
    vks_atomic_file_abort(&file); /* fine for a zeroed one */
}

static void appears_when_whole(void **state)
{
    (void)state;
    const char *path = in_folder("new.txt");
    struct vks_atomic_file file;
    assert_int_equal(vks_atomic_file_begin(&file, path, false), VKS_OK);
    assert_string_equal(file.path, path);
    char expected[1100];
    snprintf(expected, sizeof(expected), "%s.part-%ld", path, (long)getpid());
    assert_string_equal(file.part.path, expected);
    assert_true(exists(file.part.path));
    assert_false(exists(path));
    put(file.part.path, "whole");
    assert_int_equal(vks_atomic_file_commit(&file), VKS_OK);
    assert_null(file.path);
    assert_null(file.part.path);
    assert_holds(path, "whole");
    assert_false(exists(expected));
}

static void obeys_the_umask(void **state)
{
    (void)state;
    const char *path = in_folder("mode.txt");
    struct vks_atomic_file file;
    mode_t old = umask(027);
    assert_int_equal(vks_atomic_file_begin(&file, path, false), VKS_OK);
    umask(old);
    file.unsynced = true;
    assert_int_equal(vks_atomic_file_commit(&file), VKS_OK);
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0640);
}

static void abort_leaves_nothing(void **state)
{
    (void)state;
    const char *path = in_folder("gone.txt");
    struct vks_atomic_file file;
    assert_int_equal(vks_atomic_file_begin(&file, path, false), VKS_OK);
    char *part = vks_strdup(file.part.path);
    vks_atomic_file_abort(&file);
    assert_false(exists(part));
    assert_false(exists(path));
    free(part);
    vks_atomic_file_abort(&file); /* twice is fine */
}

static void replaces_only_when_told(void **state)
{
    (void)state;
    const char *path = in_folder("old.txt");
    put(path, "old");
    begin_refuses(path, false, "exists already");
    assert_int_equal(vks_error_last()->hint, VKS_HINT_OVERWRITE);
    assert_holds(path, "old");
    struct vks_atomic_file file;
    assert_int_equal(vks_atomic_file_begin(&file, path, true), VKS_OK);
    put(file.part.path, "new");
    assert_holds(path, "old");
    assert_int_equal(vks_atomic_file_commit(&file), VKS_OK);
    assert_holds(path, "new");
}

static void a_link_to_nowhere_exists(void **state)
{
    (void)state;
    const char *path = in_folder("link.txt");
    assert_int_equal(symlink("nowhere", path), 0);
    begin_refuses(path, false, "exists already");
}

/* FOLDER/link.txt -> a -> sub/b, in a folder of their own. */
static void writes_through_links(void **state)
{
    (void)state;
    struct vks_atomic_file file;
    struct stat info;
    assert_int_equal(mkdir(in_folder("sub"), 0700), 0);
    assert_int_equal(symlink("a", in_folder("link.txt")), 0);
    assert_int_equal(symlink("sub/b", in_folder("a")), 0);
    for (unsigned i = 0; i < 2; i++) { /* dangling, then to a file */
        assert_int_equal(vks_atomic_file_begin(&file, in_folder("link.txt"), true), VKS_OK);
        assert_string_equal(file.path, in_folder("link.txt"));
        assert_string_equal(file.target, in_folder("sub/b"));
        assert_non_null(strstr(file.part.path, "/sub/b.part-"));
        put(file.part.path, i == 0 ? "first" : "second");
        assert_int_equal(vks_atomic_file_commit(&file), VKS_OK);
        assert_holds(in_folder("sub/b"), i == 0 ? "first" : "second");
        assert_int_equal(lstat(in_folder("link.txt"), &info), 0);
        assert_true(S_ISLNK(info.st_mode));
    }
    assert_true(vks_is_same_file(in_folder("link.txt"), in_folder("sub/b")));
    assert_int_equal(unlink(in_folder("sub/b")), 0);
    assert_true(vks_is_same_file(in_folder("link.txt"), in_folder("sub/b")));
    assert_int_equal(symlink("two", in_folder("one")), 0);
    assert_int_equal(symlink("one", in_folder("two")), 0);
    begin_refuses(in_folder("one"), true, "its symbolic links form a loop");
}

static void keeps_the_mode(void **state)
{
    (void)state;
    const mode_t modes[] = {0600, 0444, 0751};
    const char *path = in_folder("mode.txt");
    for (size_t i = 0; i < VKS_COUNT(modes); i++) {
        struct vks_atomic_file file;
        struct stat info;
        put(path, "old");
        assert_int_equal(chmod(path, modes[i]), 0);
        assert_int_equal(vks_atomic_file_begin(&file, path, true), VKS_OK);
        put(file.part.path, "new");
        assert_int_equal(vks_atomic_file_commit(&file), VKS_OK);
        assert_int_equal(stat(path, &info), 0);
        assert_int_equal(info.st_mode & 07777, modes[i]);
        assert_holds(path, "new");
        assert_int_equal(unlink(path), 0);
    }
}

static void commit_partial(const char *name, const char *partial)
{
    struct vks_atomic_file file;
    put(in_folder(name), "whole");
    assert_int_equal(vks_atomic_file_begin(&file, in_folder(name), true), VKS_OK);
    put(file.part.path, "part");
    assert_int_equal(vks_atomic_file_keep_old(&file), VKS_OK);
    assert_string_equal(file.path, in_folder(partial));
    assert_int_equal(vks_atomic_file_commit(&file), VKS_OK);
    assert_holds(in_folder(name), "whole");
    assert_holds(in_folder(partial), "part");
}

static void a_partial_result_keeps_the_old_file(void **state)
{
    (void)state;
    struct vks_atomic_file file = {0};
    vks_message_to(VKS_LOG_ERROR, NULL, NULL);
    commit_partial("p.mp4", "p.partial.mp4");
    commit_partial("p.mp4", "p.partial.mp4"); /* that of an earlier run */
    commit_partial("p.q.npz", "p.q.partial.npz");
    commit_partial("bare", "bare.partial");
    commit_partial(".hidden", ".hidden.partial");
    /* Nothing to keep. */
    assert_int_equal(vks_atomic_file_keep_old(&file), VKS_OK);
    assert_int_equal(vks_atomic_file_begin(&file, in_folder("new.mp4"), true), VKS_OK);
    assert_int_equal(vks_atomic_file_keep_old(&file), VKS_OK);
    assert_int_equal(vks_atomic_file_commit(&file), VKS_OK);
    assert_true(exists(in_folder("new.mp4")));
    char *path = NULL;
    assert_int_equal(vks_partial_path(in_folder("p.mp4"), &path), VKS_OK);
    assert_string_equal(path, in_folder("p.partial.mp4"));
    free(path);
    assert_int_equal(vks_partial_path(in_folder("none.mp4"), &path), VKS_OK);
    assert_string_equal(path, in_folder("none.mp4"));
    free(path);
}

/* In a process of its own, because files stop there afterwards. */
static void a_handler_removes_the_parts(void **state)
{
    (void)state;
    enum { FILES = 40 };
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct vks_atomic_file files[FILES], aborted;
        char name[32];
        bool good = true;
        for (int i = 0; i < FILES; i++) {
            snprintf(name, sizeof(name), "file-%d", i);
            good = good && vks_atomic_file_begin(&files[i], in_folder(name), true) == VKS_OK;
            good = good && vks_atomic_file_begin(&aborted, in_folder("other"), true) == VKS_OK;
            vks_atomic_file_abort(&aborted);
        }
        good = good && vks_atomic_file_commit(&files[0]) == VKS_OK;
        vks_part_files_remove();
        good = good && exists(in_folder("file-0"));
        for (int i = 1; i < FILES; i++) {
            good = good && !exists(files[i].part.path);
        }
        _exit(good ? 0 : 1);
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* --- what killed processes leave -------------------------------------------------------------- */

/* In a process of its own. */
static bool alone(void (*act)(void))
{
    const pid_t child = fork();
    if (child == 0) {
        act();
        _exit(0);
    }
    int status = -1;
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
           WEXITSTATUS(status) == 0;
}

static char warnings[4096];

static void hear(void *user, enum vks_log_level level, const char *text)
{
    (void)level;
    (void)user;
    snprintf(warnings + strlen(warnings), sizeof(warnings) - strlen(warnings), "%s\n", text);
}

static void write_again(void)
{
    /* A folder is looked into once; this is another name of it. */
    vks_message_to(VKS_LOG_WARNING, hear, NULL);
    if (vks_write_file(in_folder("./run.npz"), true, "new", 3) != VKS_OK ||
        vks_write_file(in_folder("./other.npz"), true, "new", 3) != VKS_OK ||
        !strstr(warnings, "is a part of a file whose writing was killed") ||
        strchr(warnings, '\n') != warnings + strlen(warnings) - 1) {
        _exit(1);
    }
}

static void parts_of_killed_runs_are_removed(void **state)
{
    (void)state;
    static const char *const dead[] = {"run.npz.part-4000000", "run.npz.part-4000000-2",
                                       "other.npz.part-4000001"};
    static const char *const kept[] = {"third.npz.part-4000001", "run.npz.part-x",
                                       "run.npz.part-12a", "run.npz.part-", ".part-7"};
    enum { DEAD = sizeof(dead) / sizeof(dead[0]), KEPT = sizeof(kept) / sizeof(kept[0]) };
    for (size_t i = 0; i < DEAD; i++) {
        put(in_folder(dead[i]), "half");
    }
    for (size_t i = 0; i < KEPT; i++) {
        put(in_folder(kept[i]), "half");
    }
    assert_int_equal(symlink(kept[0], in_folder("run.npz.part-8")), 0);
    struct vks_atomic_file busy;
    assert_int_equal(vks_atomic_file_begin(&busy, in_folder("busy.npz"), false), VKS_OK);
    struct vks_part_file writing;
    assert_true(vks_part_file_create(in_folder("run.npz"), &writing));
    assert_true(alone(write_again));
    for (size_t i = 0; i < DEAD; i++) {
        assert_false(exists(in_folder(dead[i])));
    }
    for (size_t i = 0; i < KEPT; i++) { /* other files' parts, and no parts */
        assert_holds(in_folder(kept[i]), "half");
        assert_int_equal(unlink(in_folder(kept[i])), 0);
    }
    assert_int_equal(unlink(in_folder("run.npz.part-8")), 0); /* a link */
    assert_int_equal(unlink(writing.path), 0);                /* was being written */
    vks_part_file_close(&writing);
    vks_atomic_file_abort(&busy);
}

/* --- the disk -------------------------------------------------------------------------------- */

int __real_fsync(int fd);
int __real_rename(const char *from, const char *to);
int __wrap_fsync(int fd);
int __wrap_rename(const char *from, const char *to);
static char calls[256]; /* what was synced and renamed: "file ", "folder ", "rename " */
static int sync_error;  /* of a folder */

int __wrap_fsync(int fd)
{
    struct stat info;
    const bool is_folder = fstat(fd, &info) == 0 && S_ISDIR(info.st_mode);
    strncat(calls, is_folder ? "folder " : "file ", sizeof(calls) - strlen(calls) - 1);
    if (is_folder && sync_error != 0) {
        errno = sync_error;
        return -1;
    }
    return __real_fsync(fd);
}

int __wrap_rename(const char *from, const char *to)
{
    strncat(calls, "rename ", sizeof(calls) - strlen(calls) - 1);
    return __real_rename(from, to);
}

static void a_name_is_synced_after_its_file(void **state)
{
    (void)state;
    calls[0] = '\0';
    assert_int_equal(vks_write_file(in_folder("a"), false, "1", 1), VKS_OK);
    assert_string_equal(calls, "file rename folder ");
    sync_error = EINVAL; /* a file system that cannot */
    assert_int_equal(vks_write_file(in_folder("b"), false, "1", 1), VKS_OK);
    sync_error = EIO;
    assert_int_equal(vks_write_file(in_folder("c"), false, "1", 1), VKS_ERROR_FILE);
    assert_says("cannot write '");
    sync_error = 0;
    struct vks_atomic_file file;
    calls[0] = '\0';
    assert_int_equal(vks_atomic_file_begin(&file, in_folder("d"), false), VKS_OK);
    file.unsynced = true;
    assert_int_equal(vks_atomic_file_commit(&file), VKS_OK);
    assert_string_equal(calls, "rename ");
}

static void refuses_what_is_no_file(void **state)
{
    (void)state;
    begin_refuses("", false, "is empty");
    begin_refuses(folder, true, "it is a folder");
    begin_refuses("/", true, "it is a folder");
    begin_refuses(in_folder("sub/"), true, "it is a folder");
    begin_refuses(in_folder("sub/x.txt"), true, "does not exist");
    begin_refuses("/dev/null", true, "it is a device or a pipe");
    assert_true(exists("/dev/null"));
    put(in_folder("plain"), "");
    begin_refuses(in_folder("plain/x.txt"), true, "is not a folder");
    char name[300];
    memset(name, 'n', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    begin_refuses(in_folder(name), true, "the name is too long");
}

static void refuses_a_folder_it_cannot_write(void **state)
{
    (void)state;
    /* Holds for root too: the kernel makes no files there. */
    begin_refuses("/proc/vksim.txt", false, "cannot write '/proc/vksim.txt': ");
    if (geteuid() != 0) {
        begin_refuses("/vksim.txt", false, "cannot be written to");
    }
}

static void keeps_both_when_the_name_was_taken(void **state)
{
    (void)state;
    const char *path = in_folder("race.txt");
    struct vks_atomic_file file;
    assert_int_equal(vks_atomic_file_begin(&file, path, false), VKS_OK);
    char *part = vks_strdup(file.part.path);
    put(part, "ours");
    put(path, "theirs");
    assert_int_equal(vks_atomic_file_commit(&file), VKS_ERROR_EXISTS);
    assert_says("another program has created '");
    assert_says(part);
    assert_holds(path, "theirs");
    assert_holds(part, "ours");
    assert_int_equal(unlink(part), 0);
    free(part);
}

static void steps_aside_for_a_part_that_is_there(void **state)
{
    (void)state;
    const char *path = in_folder("twice.txt");
    struct vks_atomic_file first;
    struct vks_atomic_file second;
    assert_int_equal(vks_atomic_file_begin(&first, path, true), VKS_OK);
    assert_int_equal(vks_atomic_file_begin(&second, path, true), VKS_OK);
    assert_string_not_equal(first.part.path, second.part.path);
    put(first.part.path, "first");
    put(second.part.path, "second");
    assert_int_equal(vks_atomic_file_commit(&second), VKS_OK);
    assert_holds(path, "second");
    assert_int_equal(vks_atomic_file_commit(&first), VKS_OK);
    assert_holds(path, "first");
}

static void commit_fails_cleanly_without_its_part(void **state)
{
    (void)state;
    const char *path = in_folder("lost.txt");
    struct vks_atomic_file file;
    assert_int_equal(vks_atomic_file_begin(&file, path, false), VKS_OK);
    assert_int_equal(unlink(file.part.path), 0);
    assert_int_equal(vks_atomic_file_commit(&file), VKS_ERROR_FILE);
    assert_says("cannot write '");
    assert_null(file.part.path);
    assert_false(exists(path));
}

static void works_in_the_current_folder(void **state)
{
    (void)state;
    int here = open(".", O_RDONLY);
    assert_true(here >= 0);
    assert_int_equal(chdir(folder), 0);
    struct vks_atomic_file file;
    enum vks_result begun = vks_atomic_file_begin(&file, "bare", false);
    enum vks_result done = vks_atomic_file_commit(&file);
    assert_int_equal(fchdir(here), 0);
    close(here);
    assert_int_equal(begun, VKS_OK);
    assert_int_equal(done, VKS_OK);
    assert_holds(in_folder("bare"), "");
}

static void write_all_tells_the_errno(void **state)
{
    (void)state;
    const char *path = in_folder("limit");
    int fd = open(path, O_WRONLY | O_CREAT, 0600);
    assert_true(fd >= 0);
    struct rlimit old;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    struct rlimit small = {.rlim_cur = 100, .rlim_max = old.rlim_max};
    char bytes[300] = {0};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    int error = vks_write_all(fd, bytes, sizeof(bytes));
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    close(fd);
    assert_int_equal(error, EFBIG);

    int ends[2];
    assert_int_equal(pipe(ends), 0);
    close(ends[0]);
    assert_int_equal(vks_write_all(ends[1], bytes, 1), EPIPE);
    close(ends[1]);
    assert_int_equal(vks_write_all(-1, bytes, 1), EBADF);
    assert_int_equal(vks_write_all(-1, bytes, 0), 0);
}

static void on_alarm(int number)
{
    (void)number;
}

static void write_all_outlasts_signals_and_a_full_pipe(void **state)
{
    (void)state;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(fcntl(ends[1], F_SETFL, O_NONBLOCK), 0);
    enum { BYTES = 3 << 20 };
    struct sigaction action = {.sa_handler = on_alarm}; /* no SA_RESTART */
    struct sigaction before;
    assert_int_equal(sigaction(SIGALRM, &action, &before), 0);
    pid_t reader = fork();
    assert_true(reader >= 0);
    if (reader == 0) {
        close(ends[1]);
        /* The pipe fills up and the writer waits; then a signal wakes it. */
        nanosleep(&(struct timespec){.tv_nsec = 30000000}, NULL);
        kill(getppid(), SIGALRM);
        nanosleep(&(struct timespec){.tv_nsec = 30000000}, NULL);
        static char buffer[4096];
        size_t total = 0;
        ssize_t count = 0;
        while ((count = read(ends[0], buffer, sizeof(buffer))) > 0) {
            total += (size_t)count;
        }
        _exit(total == BYTES ? 0 : 1);
    }
    close(ends[0]);
    char *bytes = calloc(1, BYTES);
    assert_non_null(bytes);
    int error = vks_write_all(ends[1], bytes, BYTES);
    sigaction(SIGALRM, &before, NULL);
    free(bytes);
    close(ends[1]);
    int status = -1;
    assert_int_equal(waitpid(reader, &status, 0), reader);
    assert_int_equal(error, 0);
    assert_int_equal(status, 0);
}

static void errno_has_words(void **state)
{
    (void)state;
    assert_string_equal(vks_errno_text(ENOSPC), "no space left on the disk");
    assert_int_equal(vks_fail_write("a.mp4", ENOSPC), VKS_ERROR_FILE);
    assert_string_equal(vks_error_text(), "cannot write 'a.mp4': no space left on the disk");
    assert_int_equal(vks_fail_write("a.mp4", ENOMEM), VKS_ERROR_GPU);
    assert_string_equal(vks_error_text(), "out of memory");
    for (int error = 0; error < 140; error++) {
        assert_true(strlen(vks_errno_text(error)) > 0);
    }
}

static void reads_whole_files(void **state)
{
    (void)state;
    char *text = NULL;
    size_t size = 99;
    put(in_folder("empty"), "");
    assert_int_equal(vks_read_file(in_folder("empty"), 0, &text, &size), VKS_OK);
    assert_int_equal(size, 0);
    assert_string_equal(text, "");
    free(text);

    /* Around the sizes at which the buffer grows. */
    static const size_t sizes[] = {1, 4094, 4095, 4096, 4097, 8191, 8192, 100000};
    for (size_t i = 0; i < VKS_COUNT(sizes); i++) {
        char *bytes = malloc(sizes[i] + 1);
        assert_non_null(bytes);
        memset(bytes, 'x', sizes[i]);
        bytes[sizes[i]] = '\0';
        put(in_folder("sized"), bytes);
        assert_int_equal(vks_read_file(in_folder("sized"), sizes[i], &text, NULL), VKS_OK);
        assert_string_equal(text, bytes);
        free(text);
        text = NULL;
        assert_int_equal(vks_read_file(in_folder("sized"), sizes[i] - 1, &text, &size),
                         VKS_ERROR_FILE);
        assert_says("is too long");
        assert_null(text);
        free(bytes);
    }
}

static void reading_fails_with_words(void **state)
{
    (void)state;
    char *text = NULL;
    assert_int_equal(vks_read_file(in_folder("absent"), 10, &text, NULL), VKS_ERROR_FILE);
    assert_says("there is no such file or folder");
    assert_int_equal(vks_read_file(folder, 10, &text, NULL), VKS_ERROR_FILE);
    assert_says("it is a folder");
    assert_int_equal(vks_read_file("/dev/zero", 100000, &text, NULL), VKS_ERROR_FILE);
    assert_says("the limit is 100000 bytes");
    assert_null(text);
}

#define TEST(function) cmocka_unit_test_teardown(function, empty_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(appears_when_whole),
        TEST(obeys_the_umask),
        TEST(abort_leaves_nothing),
        TEST(replaces_only_when_told),
        TEST(a_link_to_nowhere_exists),
        TEST(writes_through_links),
        TEST(keeps_the_mode),
        TEST(a_partial_result_keeps_the_old_file),
        TEST(a_handler_removes_the_parts),
        TEST(parts_of_killed_runs_are_removed),
        TEST(a_name_is_synced_after_its_file),
        TEST(refuses_what_is_no_file),
        TEST(refuses_a_folder_it_cannot_write),
        TEST(keeps_both_when_the_name_was_taken),
        TEST(steps_aside_for_a_part_that_is_there),
        TEST(commit_fails_cleanly_without_its_part),
        TEST(works_in_the_current_folder),
        TEST(write_all_tells_the_errno),
        TEST(write_all_outlasts_signals_and_a_full_pipe),
        TEST(errno_has_words),
        TEST(reads_whole_files),
        TEST(reading_fails_with_words),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
