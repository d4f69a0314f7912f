/* Stands between a process and the kernel (LD_PRELOAD): counts the system calls on files below one folder, fails the one
   that it is told to fail, and writes down what reached the disk in which order. See shim.py for what each number means. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum kind { OPEN, CLOSE, READ, WRITE, SYNC, TRUNCATE, RENAME, LINK, UNLINK, MAP, LOCK, FLOCK, STAT, CHMOD, KINDS };
enum { MARK = KINDS, CREATED, SYNC_FAILED };
enum { SHORT = -1, FULL = -2 };  /* instead of an error: half of the bytes; half of them, and then no space */
#define FILES 1024
#define RANGES 256
#define REAL(name) ((__typeof__(&name)) real(#name))

static char folder[PATH_MAX], opened[FILES][PATH_MAX];
static long calls, target;
static int fault, always, failed_kind, failing_next, record = -1, dropped;
static char failed_path[PATH_MAX];
static struct range { char path[PATH_MAX]; int file; long start, end; } held[RANGES];
static int ranges;

static void *real(const char *name) { return dlsym(RTLD_NEXT, name); }

/* --- what the test says and asks ------------------------------------------------------------------------------ */

void shim_watch(const char *path, int trace) { strncpy(folder, path, PATH_MAX - 1); record = trace; calls = 0; fault = 0; }
void shim_fail(long number, int what, int from_then_on) {
    target = number; fault = what; always = from_then_on; failed_kind = -1; failing_next = 0; failed_path[0] = 0;
}
long shim_calls(void) { return calls; }
int shim_failed(void) { return failed_kind; }
const char *shim_failed_path(void) { return failed_path; }
int shim_dropped(void) { return dropped; }

static void write_all(const void *data, size_t size) {
    for (const char *at = data; size > 0;) {
        long done = syscall(SYS_write, record, at, size);
        if (done <= 0) return;
        at += done; size -= done;
    }
}
static void note(int kind, const char *path, const char *other, long at, const void *data, long size) {
    if (record < 0) return;
    long head[5] = {kind, at, strlen(path), strlen(other), data ? size : 0};
    write_all(head, sizeof head);
    write_all(path, head[2]); write_all(other, head[3]); write_all(data, head[4]);
}
void shim_mark(const char *text) { note(MARK, text, "", 0, NULL, 0); }

/* --- which calls count, and which of them fails --------------------------------------------------------------- */

static int below(const char *path) {
    size_t length = strlen(folder);
    return length && path && !strncmp(path, folder, length) && (path[length] == '/' || !path[length]);
}
static const char *path_of(int file) { return file >= 0 && file < FILES && opened[file][0] ? opened[file] : NULL; }

/* 0, an error, SHORT or FULL: what shall become of this call on a file below the folder. */
static int fate(int kind, const char *path) {
    if (!path || !below(path)) return 0;
    long number = calls++;
    if (record >= 0) note(-1 - kind, path, "", number, NULL, 0);
    if (failing_next && kind == WRITE) { failing_next = always; return ENOSPC; }
    if (!fault || number < target || (number > target && !(always && kind == failed_kind))) return 0;
    failed_kind = kind;
    if (number == target) strncpy(failed_path, path, PATH_MAX - 1);
    if (fault == FULL) failing_next = 1;
    return fault;
}
#define FAIL(kind, path, bad) do { int f_ = fate(kind, path); if (f_ > 0) { errno = f_; return bad; } } while (0)

/* --- locks of POSIX, which a close of any descriptor of the file lets go of -------------------------------------- */

static void relock(const char *path, int file, short type, long start, long length) {
    long end = length ? start + length : LONG_MAX;
    int count = ranges;
    for (int n = 0; n < count; n++) {
        struct range *r = &held[n];
        if (strcmp(r->path, path) || r->end <= start || r->start >= end) continue;
        if (r->end > end && ranges < RANGES) { held[ranges] = *r; held[ranges++].start = end; }
        r->end = r->start < start ? start : r->start;
    }
    for (int n = 0; n < ranges;) if (held[n].end <= held[n].start) held[n] = held[--ranges]; else n++;
    if (type != F_UNLCK && ranges < RANGES) {
        struct range *r = &held[ranges++];
        strcpy(r->path, path); r->file = file; r->start = start; r->end = end;
    }
}
static void closed(int file, const char *path) {
    for (int n = 0; n < ranges;) {
        if (strcmp(held[n].path, path)) { n++; continue; }
        if (held[n].file != file) dropped++;
        held[n] = held[--ranges];
    }
}

/* --- the calls -------------------------------------------------------------------------------------------------- */

static int open_file(const char *path, int flags, mode_t mode) {
    FAIL(OPEN, path, -1);
    struct stat state;
    int fresh = below(path) && (flags & O_CREAT) && syscall(SYS_newfstatat, AT_FDCWD, path, &state, 0) < 0;
    int file = syscall(SYS_openat, AT_FDCWD, path, flags | O_LARGEFILE, mode);
    if (file < 0 || !below(path)) return file;
    if (file < FILES) strncpy(opened[file], path, PATH_MAX - 1);
    if (fresh) note(CREATED, path, "", 0, NULL, 0);
    else if (flags & O_TRUNC) note(TRUNCATE, path, "", 0, NULL, 0);
    return file;
}
#define MODE mode_t mode = 0; if (flags & (O_CREAT | O_TMPFILE)) { va_list v; va_start(v, flags); mode = va_arg(v, int); va_end(v); }
int open(const char *path, int flags, ...) { MODE return open_file(path, flags, mode); }
int open64(const char *path, int flags, ...) { MODE return open_file(path, flags, mode); }
int openat(int at, const char *path, int flags, ...) {
    MODE
    if (path[0] == '/') return open_file(path, flags, mode);
    return syscall(SYS_openat, at, path, flags, mode);
}
int openat64(int at, const char *path, int flags, ...) __attribute__((alias("openat")));

int close(int file) {
    const char *path = path_of(file);
    int what = fate(CLOSE, path);
    if (path) { closed(file, path); opened[file][0] = 0; }
    int done = REAL(close)(file);
    if (what > 0) { errno = what; return -1; }  /* Linux has closed it, whatever it says */
    return done;
}

#define PART(kind, size) int what = fate(kind, path_of(file)); if (what > 0) { errno = what; return -1; } \
    if (what < 0 && size > 1) size /= 2;
ssize_t read(int file, void *data, size_t size) { PART(READ, size) return syscall(SYS_read, file, data, size); }
ssize_t pread64(int file, void *data, size_t size, off64_t at) {
    PART(READ, size) return syscall(SYS_pread64, file, data, size, at);
}
ssize_t pread(int file, void *data, size_t size, off_t at) __attribute__((alias("pread64")));
ssize_t write(int file, const void *data, size_t size) {
    PART(WRITE, size)
    long at = path_of(file) ? syscall(SYS_lseek, file, 0, SEEK_CUR) : 0;
    ssize_t done = syscall(SYS_write, file, data, size);
    if (done > 0 && path_of(file)) note(WRITE, path_of(file), "", at, data, done);
    return done;
}
ssize_t pwrite64(int file, const void *data, size_t size, off64_t at) {
    PART(WRITE, size)
    ssize_t done = syscall(SYS_pwrite64, file, data, size, at);
    if (done > 0 && path_of(file)) note(WRITE, path_of(file), "", at, data, done);
    return done;
}
ssize_t pwrite(int file, const void *data, size_t size, off_t at) __attribute__((alias("pwrite64")));

static int sync_file(int file, long number) {
    const char *path = path_of(file);
    int what = fate(SYNC, path);
    if (path) note(what > 0 ? SYNC_FAILED : SYNC, path, "", 0, NULL, 0);
    if (what > 0) { errno = what; return -1; }
    return path ? 0 : syscall(number, file);  /* below the folder nothing needs to reach a real disk */
}
int fsync(int file) { return sync_file(file, SYS_fsync); }
int fdatasync(int file) { return sync_file(file, SYS_fdatasync); }

int ftruncate64(int file, off64_t size) {
    FAIL(TRUNCATE, path_of(file), -1);
    int done = syscall(SYS_ftruncate, file, size);
    if (!done && path_of(file)) note(TRUNCATE, path_of(file), "", size, NULL, 0);
    return done;
}
int ftruncate(int file, off_t size) __attribute__((alias("ftruncate64")));

int rename(const char *old, const char *new) {
    FAIL(RENAME, new, -1);
    int done = syscall(SYS_renameat, AT_FDCWD, old, AT_FDCWD, new);
    if (!done && below(new)) note(RENAME, old, new, 0, NULL, 0);
    return done;
}
int link(const char *old, const char *new) {
    FAIL(LINK, new, -1);
    int done = syscall(SYS_linkat, AT_FDCWD, old, AT_FDCWD, new, 0);
    if (!done && below(new)) note(LINK, old, new, 0, NULL, 0);
    return done;
}
int linkat(int at, const char *old, int to, const char *new, int flags) {
    return flags ? REAL(linkat)(at, old, to, new, flags) : link(old, new);
}
int unlink(const char *path) {
    FAIL(UNLINK, path, -1);
    int done = syscall(SYS_unlinkat, AT_FDCWD, path, 0);
    if (!done && below(path)) note(UNLINK, path, "", 0, NULL, 0);
    return done;
}

void *mmap64(void *where, size_t size, int protection, int flags, int file, off64_t at) {
    FAIL(MAP, file < 0 ? NULL : path_of(file), MAP_FAILED);
    return (void *) syscall(SYS_mmap, where, size, protection, flags, file, at);
}
void *mmap(void *where, size_t size, int protection, int flags, int file, off_t at) __attribute__((alias("mmap64")));

int fcntl64(int file, int command, ...) {
    va_list rest;
    va_start(rest, command);
    void *more = va_arg(rest, void *);
    va_end(rest);
    int locks = command == F_SETLK || command == F_SETLKW;
    int counts = locks || command == F_GETLK || command == F_OFD_SETLK || command == F_OFD_SETLKW || command == F_OFD_GETLK;
    struct flock *lock = more;
    if (counts && lock->l_type != F_UNLCK) FAIL(LOCK, path_of(file), -1);  /* Linux never refuses to let go of one */
    int done = syscall(SYS_fcntl, file, command, more);
    if (locks && !done && path_of(file)) relock(path_of(file), file, lock->l_type, lock->l_start, lock->l_len);
    return done;
}
int fcntl(int file, int command, ...) __attribute__((alias("fcntl64")));
int flock(int file, int how) {
    FAIL(FLOCK, path_of(file), -1);
    return syscall(SYS_flock, file, how);
}

int stat64(const char *path, struct stat64 *state) { FAIL(STAT, path, -1); return syscall(SYS_newfstatat, AT_FDCWD, path, state, 0); }
int stat(const char *path, struct stat *state) { return stat64(path, (struct stat64 *) state); }
int lstat64(const char *path, struct stat64 *state) {
    FAIL(STAT, path, -1);
    return syscall(SYS_newfstatat, AT_FDCWD, path, state, AT_SYMLINK_NOFOLLOW);
}
int lstat(const char *path, struct stat *state) { return lstat64(path, (struct stat64 *) state); }
int fstat64(int file, struct stat64 *state) { FAIL(STAT, path_of(file), -1); return syscall(SYS_fstat, file, state); }
int fstat(int file, struct stat *state) { return fstat64(file, (struct stat64 *) state); }
int access(const char *path, int how) { FAIL(STAT, path, -1); return syscall(SYS_faccessat, AT_FDCWD, path, how); }
int fchmod(int file, mode_t mode) { FAIL(CHMOD, path_of(file), -1); return syscall(SYS_fchmod, file, mode); }
int fchown(int file, uid_t user, gid_t group) { FAIL(CHMOD, path_of(file), -1); return syscall(SYS_fchown, file, user, group); }
int chmod(const char *path, mode_t mode) { FAIL(CHMOD, path, -1); return REAL(chmod)(path, mode); }
