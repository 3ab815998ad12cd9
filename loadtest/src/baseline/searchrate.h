/* What the baseline programs share: options, clock, CPU time, result line. */
#ifndef SEARCHRATE_H
#define SEARCHRATE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { MAX_DEPTH = 64 };

struct options {
  const char *host;
  int port;
  int connections;
  int depth; /* requests outstanding on each connection */
  double seconds;
  double warmup;
  uint32_t users;
  const char *base;
};

static inline struct options read_options(int argc, char **argv) {
  struct options o = {"127.0.0.1", 1389, 16, 1, 5, 1, 1000, "dc=example,dc=com"};
  for (int i = 1; i + 1 < argc; i += 2) {
    const char *name = argv[i], *value = argv[i + 1];
    if (!strcmp(name, "--host")) o.host = value;
    else if (!strcmp(name, "--port")) o.port = atoi(value);
    else if (!strcmp(name, "--connections")) o.connections = atoi(value);
    else if (!strcmp(name, "--depth")) o.depth = atoi(value);
    else if (!strcmp(name, "--seconds")) o.seconds = atof(value);
    else if (!strcmp(name, "--warmup-seconds")) o.warmup = atof(value);
    else if (!strcmp(name, "--users")) o.users = (uint32_t) strtoul(value, NULL, 10);
    else if (!strcmp(name, "--base")) o.base = value;
    else {
      fprintf(stderr, "unknown option %s\n", name);
      exit(2);
    }
  }
  if (o.connections < 1 || o.users < 1 || o.depth < 1 || o.depth > MAX_DEPTH) {
    fprintf(stderr, "--connections and --users must be at least 1, --depth from 1 to %d\n", MAX_DEPTH);
    exit(2);
  }
  return o;
}

static inline double now_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double) t.tv_sec + (double) t.tv_nsec / 1e9;
}

static inline double cpu_seconds(void) {
  struct rusage u;
  getrusage(RUSAGE_SELF, &u);
  return (double) (u.ru_utime.tv_sec + u.ru_stime.tv_sec)
      + (double) (u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

/* How often the program gave its processor up to wait. */
static inline long waits(void) {
  struct rusage u;
  getrusage(RUSAGE_SELF, &u);
  return u.ru_nvcsw;
}

static _Thread_local uint64_t random_state = 0x9E3779B97F4A7C15u;

/* Gives a thread a sequence of its own; number: from 1 up. */
static inline void seed_random(uint64_t number) {
  random_state = number * 0x9E3779B97F4A7C15u;
}

static inline uint32_t random_below(uint32_t bound) {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return (uint32_t) (((random_state >> 32) * bound) >> 32);
}

static inline int report(
    const char *program, const struct options *o, long operations, long wrong, double seconds, double cpu,
    long waited) {
  printf("{\"program\":\"%s\",\"connections\":%d,\"depth\":%d,\"operations\":%ld,\"wrong\":%ld,\"seconds\":%.3f,\"rate\":%.0f,\"clientCpuMicros\":%.3f,\"waits\":%ld}\n",
      program, o->connections, o->depth, operations, wrong, seconds, (double) operations / seconds, cpu * 1e6 / (double) (operations ? operations : 1), waited);
  return wrong == 0 && operations > 0 ? 0 : 1;
}

#endif
