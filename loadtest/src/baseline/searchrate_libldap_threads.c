/*
 * Searches people by uid in a closed loop with OpenLDAP's client library as programs usually use it: a thread for each
 * connection, which sends a search and waits for its answer (ldap_search_ext_s). One search is outstanding on each
 * connection; every answer is checked as in searchrate_libldap.c.
 */
#include "searchrate_libldap.h"

#include <pthread.h>
#include <stdatomic.h>

enum { STACK_BYTES = 256 * 1024 };

static struct options options;
static atomic_int is_measured, is_over;
static atomic_long operations, wrong;

static int is_search_right(LDAP *ld, uint32_t user) {
  char filter[FILTER_BYTES];
  LDAPMessage *answer = NULL;
  write_filter(filter, user);
  check(ldap_search_ext_s(ld, options.base, LDAP_SCOPE_SUBTREE, filter, NULL, 0, NULL, NULL, NULL, 0, &answer),
      "search");
  int is_right = is_right_answer(ld, answer, user);
  ldap_msgfree(answer);
  return is_right;
}

static void *run_client(void *number) {
  LDAP *ld = connect_anonymously(&options);
  long right_ones = 0, wrong_ones = 0;
  seed_random((uint64_t) (uintptr_t) number);
  while (!atomic_load_explicit(&is_over, memory_order_relaxed)) {
    int is_right = is_search_right(ld, random_below(options.users));
    if (!is_right) wrong_ones++;
    else if (atomic_load_explicit(&is_measured, memory_order_relaxed)) right_ones++;
  }
  atomic_fetch_add(&operations, right_ones);
  atomic_fetch_add(&wrong, wrong_ones);
  ldap_unbind_ext_s(ld, NULL, NULL);
  return NULL;
}

static void sleep_seconds(double seconds) {
  struct timespec t = {.tv_sec = (time_t) seconds, .tv_nsec = (long) ((seconds - (double) (time_t) seconds) * 1e9)};
  nanosleep(&t, NULL);
}

int main(int argc, char **argv) {
  options = read_options(argc, argv);
  if (options.depth != 1) {
    fprintf(stderr, "--depth must be 1: a thread that waits has one search outstanding\n");
    return 2;
  }
  pthread_t *threads = calloc((size_t) options.connections, sizeof *threads);
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, STACK_BYTES);
  for (int i = 0; i < options.connections; i++) {
    if (pthread_create(&threads[i], &small, run_client, (void *) (uintptr_t) (i + 1)) != 0) {
      fprintf(stderr, "cannot start thread %d\n", i + 1);
      return 1;
    }
  }
  sleep_seconds(options.warmup);
  double start = now_seconds(), cpu = cpu_seconds();
  long waited = waits();
  atomic_store(&is_measured, 1);
  sleep_seconds(options.seconds);
  double seconds = now_seconds() - start;
  cpu = cpu_seconds() - cpu;
  waited = waits() - waited;
  atomic_store(&is_over, 1);
  for (int i = 0; i < options.connections; i++) pthread_join(threads[i], NULL);
  return report("libldap-threads", &options, atomic_load(&operations), atomic_load(&wrong), seconds, cpu, waited);
}
