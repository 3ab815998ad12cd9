/*
 * Records what a process does to the files and names below a folder, and its waits for the disk. Images of all states that a
 * power cut may leave are made from it. To be loaded before the C library (LD_PRELOAD).
 *
 *   RECORD_ROOT  the folder, without links in its path
 *   RECORD_LOG   the log, outside the folder: for each event a letter, then the number of the file (inode), an offset and a
 *                length of eight bytes each, then so many bytes
 *                W: a write begins; D: the last write to the file is on the disk; S: all writes to the file are
 *                T: the file gets the offset as its length; O: a file was made, of the name in the bytes
 *                M: a folder was made; U: a name was deleted; R, L: a file gets another, or one more name: old, 0, new
 *                F: the names of all changes before are on the disk; Z: the file was changed in a way that is not recorded
 * Changes through memory are not recorded.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

static int is_below(const char *path) {
  const char *root = getenv("RECORD_ROOT");
  size_t length = root == NULL ? 0 : strlen(root);
  return length > 0 && strncmp(path, root, length) == 0 && (path[length] == '/' || path[length] == 0);
}

/* Returns the inode of a recorded file or folder; 0 if it is another. */
static uint64_t recorded(int fd, int *is_folder) {
  char link[64];
  char path[PATH_MAX];
  struct stat status;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, PATH_MAX - 1);
  if (length <= 0) {
    return 0;
  }
  path[length] = 0;
  if (!is_below(path) || fstat(fd, &status) != 0) {
    return 0;
  }
  *is_folder = S_ISDIR(status.st_mode);
  return status.st_ino;
}

static void note(char kind, uint64_t file, uint64_t at, const struct iovec *parts, int count) {
  char head[25];
  uint64_t length = 0;
  for (int i = 0; i < count; i++) {
    length += parts[i].iov_len;
  }
  head[0] = kind;
  memcpy(head + 1, &file, 8);
  memcpy(head + 9, &at, 8);
  memcpy(head + 17, &length, 8);
  pthread_mutex_lock(&turn);
  int log = (int)syscall(SYS_openat, AT_FDCWD, getenv("RECORD_LOG"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  syscall(SYS_write, log, head, sizeof head);
  for (int i = 0; i < count; i++) {
    syscall(SYS_write, log, parts[i].iov_base, parts[i].iov_len);
  }
  syscall(SYS_close, log);
  pthread_mutex_unlock(&turn);
}

static uint64_t inode(const char *path) {
  struct stat status;
  return lstat(path, &status) == 0 ? status.st_ino : 0;
}

/* Notes what has happened to one or two names. */
static int named(int result, char kind, uint64_t file, const char *one, const char *other) {
  if (result >= 0 && (is_below(one) || (other != NULL && is_below(other)))) {
    struct iovec parts[] = {{(void *)one, strlen(one)}, {(void *)"", 1}, {(void *)other, other == NULL ? 0 : strlen(other)}};
    note(kind, file, 0, parts, other == NULL ? 1 : 3);
  }
  return result;
}

#define REAL(type, name, ...) \
  static type (*real)(__VA_ARGS__); \
  if (real == NULL) { \
    real = (type(*)(__VA_ARGS__))dlsym(RTLD_NEXT, name); \
  }

#define RECORDED(at, parts, count, call) \
  int is_folder; \
  uint64_t file = recorded(fd, &is_folder); \
  if (file != 0) { \
    note('W', file, (uint64_t)(at), parts, count); \
  } \
  ssize_t done = call; \
  if (file != 0 && (fcntl(fd, F_GETFL) & O_DSYNC) != 0) { \
    note('D', file, 0, NULL, 0); \
  } \
  return done

ssize_t pwrite64(int fd, const void *bytes, size_t length, off_t at) {
  REAL(ssize_t, "pwrite64", int, const void *, size_t, off_t)
  struct iovec part = {(void *)bytes, length};
  RECORDED(at, &part, 1, real(fd, bytes, length, at));
}

ssize_t pwrite(int fd, const void *bytes, size_t length, off_t at) { return pwrite64(fd, bytes, length, at); }

ssize_t write(int fd, const void *bytes, size_t length) {
  REAL(ssize_t, "write", int, const void *, size_t)
  struct iovec part = {(void *)bytes, length};
  RECORDED((fcntl(fd, F_GETFL) & O_APPEND) != 0 ? lseek(fd, 0, SEEK_END) : lseek(fd, 0, SEEK_CUR), &part, 1,
           real(fd, bytes, length));
}

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
  int is_folder;
  uint64_t file = result == 0 ? recorded(fd, &is_folder) : 0;
  if (file != 0) {
    note(is_folder ? 'F' : 'S', file, 0, NULL, 0);
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
  int is_folder;
  uint64_t file = recorded(fd, &is_folder);
  if (file != 0) {
    note('T', file, (uint64_t)length, NULL, 0);
  }
  return real(fd, length);
}

int ftruncate(int fd, off_t length) { return ftruncate64(fd, length); }

static ssize_t unknown(int fd) {
  int is_folder;
  uint64_t file = recorded(fd, &is_folder);
  if (file != 0) {
    note('Z', file, 0, NULL, 0);
  }
  return 0;
}

ssize_t copy_file_range(int from, off_t *from_at, int fd, off_t *at, size_t length, unsigned flags) {
  REAL(ssize_t, "copy_file_range", int, off_t *, int, off_t *, size_t, unsigned)
  unknown(fd);
  return real(from, from_at, fd, at, length, flags);
}

ssize_t sendfile64(int fd, int from, off_t *at, size_t length) {
  REAL(ssize_t, "sendfile64", int, int, off_t *, size_t)
  unknown(fd);
  return real(fd, from, at, length);
}

int open64(const char *path, int flags, ...) {
  REAL(int, "open64", const char *, int, ...)
  mode_t mode = 0;
  if ((flags & (O_CREAT | O_TMPFILE)) != 0) {
    va_list more;
    va_start(more, flags);
    mode = va_arg(more, mode_t);
    va_end(more);
  }
  int is_new = (flags & O_CREAT) != 0 && is_below(path) && inode(path) == 0;
  int is_cut = (flags & O_TRUNC) != 0 && is_below(path) && !is_new;
  int fd = real(path, flags, mode);
  if (is_new) {
    named(fd, 'O', inode(path), path, NULL);
  } else if (is_cut && fd >= 0) {
    note('T', inode(path), 0, NULL, 0);
  }
  return fd;
}

int open(const char *path, int flags, ...) {
  mode_t mode = 0;
  if ((flags & (O_CREAT | O_TMPFILE)) != 0) {
    va_list more;
    va_start(more, flags);
    mode = va_arg(more, mode_t);
    va_end(more);
  }
  return open64(path, flags, mode);
}

int mkdir(const char *path, mode_t mode) {
  REAL(int, "mkdir", const char *, mode_t)
  int result = real(path, mode);
  return named(result, 'M', inode(path), path, NULL);
}

int rmdir(const char *path) {
  REAL(int, "rmdir", const char *)
  return named(real(path), 'U', 0, path, NULL);
}

int unlink(const char *path) {
  REAL(int, "unlink", const char *)
  return named(real(path), 'U', 0, path, NULL);
}

int remove(const char *path) {
  REAL(int, "remove", const char *)
  return named(real(path), 'U', 0, path, NULL);
}

int rename(const char *from, const char *to) {
  REAL(int, "rename", const char *, const char *)
  int result = real(from, to);
  return named(result, 'R', inode(to), from, to);
}

int link(const char *from, const char *to) {
  REAL(int, "link", const char *, const char *)
  int result = real(from, to);
  return named(result, 'L', inode(to), from, to);
}
