/*
 * Lets system calls on data files of LMDB, and on logs of a cluster, fail while a control file says so. To be loaded before the C
 * library (LD_PRELOAD).
 *
 *   FAULTS_CONTROL  the control file; while it exists, it holds a word and an error number, such as "meta 5", and perhaps a part of
 *                   the path of the files that are meant; /data.mdb without it
 *                   write: writes of pages; meta: writes of meta pages alone; sync: waits for the disk;
 *                   cache: writes of meta pages, which are in the memory of the system nevertheless, and can't be undone;
 *                   kill: the process ends once a meta page is written
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/* Returns the error number for a call; 0 if it is to be done. */
static int fault(int fd, const char *kind) {
  const char *control = getenv("FAULTS_CONTROL");
  if (control == NULL) {
    return 0;
  }
  char link[64];
  char path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, PATH_MAX - 1);
  if (length <= 0 || path[0] != '/') {
    return 0;
  }
  path[length] = 0;
  if (strstr(path, "/data.mdb") == NULL && strstr(path, "/cluster/") == NULL) {
    return 0;
  }
  int file = (int)syscall(SYS_openat, AT_FDCWD, control, O_RDONLY | O_CLOEXEC);
  if (file < 0) {
    return 0;
  }
  char text[128];
  length = syscall(SYS_read, file, text, sizeof text - 1);
  syscall(SYS_close, file);
  char word[16];
  char part[64] = "/data.mdb";
  int error = 0;
  text[length < 0 ? 0 : length] = 0;
  int found = sscanf(text, "%15s %d %63s", word, &error, part);
  return found >= 2 && strcmp(word, kind) == 0 && strstr(path, part) != NULL ? error : 0;
}

#define REAL(type, name, ...) \
  static type (*real)(__VA_ARGS__); \
  if (real == NULL) { \
    real = (type(*)(__VA_ARGS__))dlsym(RTLD_NEXT, name); \
  }

#define FAIL(kind) \
  int error = fault(fd, kind); \
  if (error != 0) { \
    errno = error; \
    return -1; \
  }

/* LMDB has a descriptor of its own for meta pages, whose writes wait for the disk. */
static const char *kind_of(int fd) { return (fcntl(fd, F_GETFL) & O_DSYNC) != 0 ? "meta" : "write"; }

ssize_t pwrite64(int fd, const void *bytes, size_t length, off_t at) {
  REAL(ssize_t, "pwrite64", int, const void *, size_t, off_t)
  FAIL(kind_of(fd))
  if (at < 2 * 4096 && (error = fault(fd, "cache")) != 0) {
    if ((fcntl(fd, F_GETFL) & O_DSYNC) != 0) {
      real(fd, bytes, length, at);
    }
    errno = error;
    return -1;
  }
  ssize_t written = real(fd, bytes, length, at);
  if (strcmp(kind_of(fd), "meta") == 0 && fault(fd, "kill") != 0) {
    kill(getpid(), SIGKILL);
  }
  return written;
}

ssize_t pwrite(int fd, const void *bytes, size_t length, off_t at) { return pwrite64(fd, bytes, length, at); }

ssize_t pwritev64(int fd, const struct iovec *parts, int count, off_t at) {
  REAL(ssize_t, "pwritev64", int, const struct iovec *, int, off_t)
  FAIL("write")
  return real(fd, parts, count, at);
}

ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t at) { return pwritev64(fd, parts, count, at); }

ssize_t write(int fd, const void *bytes, size_t length) {
  REAL(ssize_t, "write", int, const void *, size_t)
  FAIL("write")
  return real(fd, bytes, length);
}

ssize_t writev(int fd, const struct iovec *parts, int count) {
  REAL(ssize_t, "writev", int, const struct iovec *, int)
  FAIL("write")
  return real(fd, parts, count);
}

int fdatasync(int fd) {
  REAL(int, "fdatasync", int)
  FAIL("sync")
  return real(fd);
}
