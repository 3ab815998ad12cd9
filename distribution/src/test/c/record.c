/*
 * Records writes to one data file of LMDB and the waits for the disk, from which images of all states are made that a power
 * cut may leave. To be loaded before the C library (LD_PRELOAD).
 *
 *   RECORD_FILE  the data file, without links in its path
 *   RECORD_LOG   the log: for each event a letter, an offset and a length of eight bytes each, and the bytes of a write
 *                W: a write begins; D: the last write is on the disk; S: all writes are; T: the file gets a length
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

static int is_recorded(int fd) {
  const char *file = getenv("RECORD_FILE");
  char link[64];
  char path[PATH_MAX];
  if (file == NULL) {
    return 0;
  }
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, PATH_MAX - 1);
  if (length <= 0) {
    return 0;
  }
  path[length] = 0;
  return strcmp(path, file) == 0;
}

static void note(char kind, uint64_t at, const struct iovec *parts, int count) {
  char head[17];
  uint64_t length = 0;
  for (int i = 0; i < count; i++) {
    length += parts[i].iov_len;
  }
  head[0] = kind;
  memcpy(head + 1, &at, 8);
  memcpy(head + 9, &length, 8);
  pthread_mutex_lock(&turn);
  int log = (int)syscall(SYS_openat, AT_FDCWD, getenv("RECORD_LOG"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  syscall(SYS_write, log, head, sizeof head);
  for (int i = 0; i < count; i++) {
    syscall(SYS_write, log, parts[i].iov_base, parts[i].iov_len);
  }
  syscall(SYS_close, log);
  pthread_mutex_unlock(&turn);
}

#define REAL(type, name, ...) \
  static type (*real)(__VA_ARGS__); \
  if (real == NULL) { \
    real = (type(*)(__VA_ARGS__))dlsym(RTLD_NEXT, name); \
  }

#define RECORDED(at, parts, count, call) \
  int is = is_recorded(fd); \
  if (is) { \
    note('W', (uint64_t)(at), parts, count); \
  } \
  ssize_t done = call; \
  if (is && (fcntl(fd, F_GETFL) & O_DSYNC) != 0) { \
    note('D', 0, NULL, 0); \
  } \
  return done

ssize_t pwrite64(int fd, const void *bytes, size_t length, off_t at) {
  REAL(ssize_t, "pwrite64", int, const void *, size_t, off_t)
  struct iovec part = {(void *)bytes, length};
  RECORDED(at, &part, 1, real(fd, bytes, length, at));
}

ssize_t pwrite(int fd, const void *bytes, size_t length, off_t at) { return pwrite64(fd, bytes, length, at); }

ssize_t pwritev64(int fd, const struct iovec *parts, int count, off_t at) {
  REAL(ssize_t, "pwritev64", int, const struct iovec *, int, off_t)
  RECORDED(at, parts, count, real(fd, parts, count, at));
}

ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t at) { return pwritev64(fd, parts, count, at); }

ssize_t writev(int fd, const struct iovec *parts, int count) {
  REAL(ssize_t, "writev", int, const struct iovec *, int)
  RECORDED(lseek(fd, 0, SEEK_CUR), parts, count, real(fd, parts, count));
}

static int synced(int fd, int result) {
  if (result == 0 && is_recorded(fd)) {
    note('S', 0, NULL, 0);
  }
  return result;
}

int fdatasync(int fd) {
  REAL(int, "fdatasync", int)
  return synced(fd, real(fd));
}

int fsync(int fd) {
  REAL(int, "fsync", int)
  return synced(fd, real(fd));
}

int ftruncate64(int fd, off_t length) {
  REAL(int, "ftruncate64", int, off_t)
  if (is_recorded(fd)) {
    note('T', (uint64_t)length, NULL, 0);
  }
  return real(fd, length);
}

int ftruncate(int fd, off_t length) { return ftruncate64(fd, length); }
