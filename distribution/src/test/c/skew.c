/*
 * Sets the time of day of a process apart from that of the machine. To be loaded before the C library (LD_PRELOAD).
 *
 *   SKEW_FILE  a file of eight bytes: the seconds by which the process is ahead, as the machine keeps numbers
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static volatile int64_t *ahead;

__attribute__((constructor)) static void begin(void) {
  const char *path = getenv("SKEW_FILE");
  int file = path == NULL ? -1 : open(path, O_RDONLY | O_CLOEXEC);
  if (file >= 0) {
    void *mapped = mmap(NULL, sizeof(int64_t), PROT_READ, MAP_SHARED, file, 0);
    ahead = mapped == MAP_FAILED ? NULL : mapped;
    close(file);
  }
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  static int (*real)(clockid_t, struct timespec *);
  if (real == NULL) {
    real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
  }
  int result = real(clock, time);
  if (result == 0 && clock == CLOCK_REALTIME && ahead != NULL) {
    time->tv_sec += *ahead;
  }
  return result;
}
