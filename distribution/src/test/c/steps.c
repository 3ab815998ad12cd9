/*
 * Counts the system calls with which a process changes the files below one folder, and ends the process or lets calls fail
 * from one of them on. To be loaded before the C library (LD_PRELOAD); the JVM and LMDB call through it.
 *
 *   STEPS_FOLDER  the folder, without links in its path; nothing is counted without it
 *   STEPS_AT      the number of the step, from 1 up; 0 or nothing: only count
 *   STEPS_FAULT   kill: SIGKILL in the middle of the step, so that of a write the first half is done;
 *                 full: from the step on nothing more fits; the first write takes half
 *                 readonly: from the step on nothing can be changed
 *                 io: this step alone fails with EIO
 *   STEPS_LOG     a file outside the folder that gets a line for each step
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/* The needs of steps: room on the disk, the right to change it, or neither. */
enum kind { ROOM, CHANGE, SYNC };

static atomic_long steps;

static int is_below(const char *path) {
  const char *folder = getenv("STEPS_FOLDER");
  size_t length = folder == NULL ? 0 : strlen(folder);
  return length > 0 && strncmp(path, folder, length) == 0 && (path[length] == '/' || path[length] == 0);
}

static const char *path_of(int fd, char *path) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, PATH_MAX - 1);
  path[length < 0 ? 0 : length] = 0;
  return path;
}

static const char *absolute(int folder, const char *path, char *buffer) {
  if (path[0] == '/') {
    return path;
  }
  if (folder == AT_FDCWD) {
    if (getcwd(buffer, PATH_MAX) == NULL) {
      return "";
    }
  } else {
    path_of(folder, buffer);
  }
  size_t length = strlen(buffer);
  snprintf(buffer + length, 2 * PATH_MAX - length, "/%s", path);
  return buffer;
}

static void note(long step, const char *name, const char *path) {
  const char *log = getenv("STEPS_LOG");
  int fd = log == NULL ? -1 : (int)syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (fd >= 0) {
    char line[2 * PATH_MAX + 64];
    int length = snprintf(line, sizeof line, "%ld %s %s\n", step, name, path);
    syscall(SYS_write, fd, line, (size_t)length);
    syscall(SYS_close, fd);
  }
}

static void die(void) {
  syscall(SYS_kill, getpid(), SIGKILL);
  while (1) {
    pause();
  }
}

/* Returns 0 if the step is to be done, an error number if it fails, -1 if only half of it is done, -2 if the process then dies. */
static int fault(enum kind kind, const char *name, const char *path) {
  if (!is_below(path)) {
    return 0;
  }
  const char *at = getenv("STEPS_AT");
  const char *fault = getenv("STEPS_FAULT");
  long step = atomic_fetch_add(&steps, 1) + 1;
  long wanted = at == NULL ? 0 : atol(at);
  note(step, name, path);
  if (wanted <= 0 || step < wanted || fault == NULL) {
    return 0;
  }
  if (strcmp(fault, "kill") == 0) {
    return -2;
  }
  if (strcmp(fault, "full") == 0) {
    return kind != ROOM ? 0 : step == wanted ? -1 : ENOSPC;
  }
  if (strcmp(fault, "readonly") == 0) {
    return kind == SYNC ? 0 : EROFS;
  }
  return step == wanted ? EIO : 0;
}

#define REAL(type, name, ...) \
  static type (*real)(__VA_ARGS__); \
  if (real == NULL) { \
    real = (type(*)(__VA_ARGS__))dlsym(RTLD_NEXT, name); \
  }

/* For a step that is done as a whole or not at all. */
#define WHOLE(kind, name, path, call) \
  int error = fault(kind, name, path); \
  if (error == -2) { \
    die(); \
  } \
  if (error != 0) { \
    errno = error == -1 ? ENOSPC : error; \
    return -1; \
  } \
  return call

/* For a write, of which half may be done. */
#define WRITE(name, whole, half) \
  char path[PATH_MAX]; \
  int error = fault(ROOM, name, path_of(fd, path)); \
  if (error == 0) { \
    return whole; \
  } \
  if (error > 0) { \
    errno = error; \
    return -1; \
  } \
  ssize_t done = half; \
  if (error == -2) { \
    die(); \
  } \
  if (done <= 0) { \
    errno = ENOSPC; \
    return -1; \
  } \
  return done

ssize_t write(int fd, const void *bytes, size_t length) {
  REAL(ssize_t, "write", int, const void *, size_t)
  WRITE("write", real(fd, bytes, length), real(fd, bytes, length / 2));
}

ssize_t pwrite(int fd, const void *bytes, size_t length, off_t at) {
  REAL(ssize_t, "pwrite", int, const void *, size_t, off_t)
  WRITE("pwrite", real(fd, bytes, length, at), real(fd, bytes, length / 2, at));
}

ssize_t pwrite64(int fd, const void *bytes, size_t length, off_t at) { return pwrite(fd, bytes, length, at); }

static ssize_t half_of(int fd, const struct iovec *parts, int count, off_t at) {
  int fewer = count / 2;
  if (fewer > 0) {
    return at < 0 ? syscall(SYS_writev, fd, parts, fewer) : syscall(SYS_pwritev, fd, parts, fewer, at, 0);
  }
  size_t length = parts[0].iov_len / 2;
  return at < 0 ? syscall(SYS_write, fd, parts[0].iov_base, length)
                : syscall(SYS_pwrite64, fd, parts[0].iov_base, length, at);
}

ssize_t writev(int fd, const struct iovec *parts, int count) {
  REAL(ssize_t, "writev", int, const struct iovec *, int)
  WRITE("writev", real(fd, parts, count), half_of(fd, parts, count, -1));
}

ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t at) {
  REAL(ssize_t, "pwritev", int, const struct iovec *, int, off_t)
  WRITE("pwritev", real(fd, parts, count, at), half_of(fd, parts, count, at));
}

ssize_t pwritev64(int fd, const struct iovec *parts, int count, off_t at) { return pwritev(fd, parts, count, at); }

ssize_t copy_file_range(int from, off_t *from_at, int fd, off_t *at, size_t length, unsigned flags) {
  REAL(ssize_t, "copy_file_range", int, off_t *, int, off_t *, size_t, unsigned)
  WRITE("copy_file_range", real(from, from_at, fd, at, length, flags), real(from, from_at, fd, at, length / 2, flags));
}

ssize_t sendfile(int fd, int from, off_t *at, size_t length) {
  REAL(ssize_t, "sendfile", int, int, off_t *, size_t)
  WRITE("sendfile", real(fd, from, at, length), real(fd, from, at, length / 2));
}

ssize_t sendfile64(int fd, int from, off_t *at, size_t length) { return sendfile(fd, from, at, length); }

int ftruncate(int fd, off_t length) {
  REAL(int, "ftruncate", int, off_t)
  char path[PATH_MAX];
  WHOLE(ROOM, "ftruncate", path_of(fd, path), real(fd, length));
}

int ftruncate64(int fd, off_t length) { return ftruncate(fd, length); }

int fsync(int fd) {
  REAL(int, "fsync", int)
  char path[PATH_MAX];
  WHOLE(SYNC, "fsync", path_of(fd, path), real(fd));
}

int fdatasync(int fd) {
  REAL(int, "fdatasync", int)
  char path[PATH_MAX];
  WHOLE(SYNC, "fdatasync", path_of(fd, path), real(fd));
}

int fchmod(int fd, mode_t mode) {
  REAL(int, "fchmod", int, mode_t)
  char path[PATH_MAX];
  WHOLE(CHANGE, "fchmod", path_of(fd, path), real(fd, mode));
}

int chmod(const char *name, mode_t mode) {
  REAL(int, "chmod", const char *, mode_t)
  char path[2 * PATH_MAX];
  WHOLE(CHANGE, "chmod", absolute(AT_FDCWD, name, path), real(name, mode));
}

int mkdir(const char *name, mode_t mode) {
  REAL(int, "mkdir", const char *, mode_t)
  char path[2 * PATH_MAX];
  WHOLE(ROOM, "mkdir", absolute(AT_FDCWD, name, path), real(name, mode));
}

int rmdir(const char *name) {
  REAL(int, "rmdir", const char *)
  char path[2 * PATH_MAX];
  WHOLE(CHANGE, "rmdir", absolute(AT_FDCWD, name, path), real(name));
}

int unlink(const char *name) {
  REAL(int, "unlink", const char *)
  char path[2 * PATH_MAX];
  WHOLE(CHANGE, "unlink", absolute(AT_FDCWD, name, path), real(name));
}

int unlinkat(int folder, const char *name, int flags) {
  REAL(int, "unlinkat", int, const char *, int)
  char path[2 * PATH_MAX];
  WHOLE(CHANGE, "unlinkat", absolute(folder, name, path), real(folder, name, flags));
}

int link(const char *old, const char *name) {
  REAL(int, "link", const char *, const char *)
  char path[2 * PATH_MAX];
  WHOLE(ROOM, "link", absolute(AT_FDCWD, name, path), real(old, name));
}

int rename(const char *old, const char *name) {
  REAL(int, "rename", const char *, const char *)
  char path[2 * PATH_MAX];
  WHOLE(CHANGE, "rename", absolute(AT_FDCWD, name, path), real(old, name));
}

int renameat(int from, const char *old, int folder, const char *name) {
  REAL(int, "renameat", int, const char *, int, const char *)
  char path[2 * PATH_MAX];
  WHOLE(CHANGE, "renameat", absolute(folder, name, path), real(from, old, folder, name));
}

static int counted_open(int folder, const char *name, int flags, mode_t mode) {
  char path[2 * PATH_MAX];
  if ((flags & (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC)) == 0) {
    return (int)syscall(SYS_openat, folder, name, flags, mode);
  }
  struct stat there;
  /* A full disk has no room for a new file; an old one can be opened. */
  enum kind kind = (flags & O_CREAT) != 0 && fstatat(folder, name, &there, 0) != 0 ? ROOM : CHANGE;
  WHOLE(kind, "open", absolute(folder, name, path), (int)syscall(SYS_openat, folder, name, flags, mode));
}

#define MODE \
  mode_t mode = 0; \
  if ((flags & O_CREAT) != 0) { \
    va_list more; \
    va_start(more, flags); \
    mode = va_arg(more, mode_t); \
    va_end(more); \
  }

int open(const char *name, int flags, ...) {
  MODE
  return counted_open(AT_FDCWD, name, flags, mode);
}

int open64(const char *name, int flags, ...) {
  MODE
  return counted_open(AT_FDCWD, name, flags, mode);
}

int openat(int folder, const char *name, int flags, ...) {
  MODE
  return counted_open(folder, name, flags, mode);
}

int openat64(int folder, const char *name, int flags, ...) {
  MODE
  return counted_open(folder, name, flags, mode);
}
