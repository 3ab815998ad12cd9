/*
 * Searches people by uid in a closed loop with OpenLDAP's client library, one thread for all connections: what a client
 * in C usually spends on a request. With --depth, so many searches are outstanding on each connection (the library's
 * asynchronous calls); the answers that are there are taken first, then as many searches are sent. Every answer must be one entry named uid=user.N with attributes, and success.
 */
#include "searchrate_libldap.h"

#include <sys/epoll.h>

struct search {
  int id;
  uint32_t user;
};

struct connection {
  LDAP *ld;
  struct search searches[MAX_DEPTH];
};

static void send_search(struct connection *c, struct search *search, const struct options *o) {
  char filter[FILTER_BYTES];
  search->user = random_below(o->users);
  write_filter(filter, search->user);
  check(ldap_search_ext(c->ld, o->base, LDAP_SCOPE_SUBTREE, filter, NULL, 0, NULL, NULL, NULL, 0, &search->id),
      "search");
}

static struct search *search_of(struct connection *c, int id, int depth) {
  for (int i = 0; i < depth; i++)
    if (c->searches[i].id == id) return &c->searches[i];
  fprintf(stderr, "an answer to nothing that was asked\n");
  exit(1);
}

/* The search whose whole answer is there, and whether it is right; NULL when there is none. */
static struct search *take_answer(struct connection *c, int depth, int *is_right) {
  struct timeval none = {0, 0};
  LDAPMessage *answer = NULL;
  int type = ldap_result(c->ld, LDAP_RES_ANY, LDAP_MSG_ALL, &none, &answer);
  if (type == 0) return NULL;
  if (type < 0) {
    fprintf(stderr, "connection lost\n");
    exit(1);
  }
  struct search *search = search_of(c, ldap_msgid(answer), depth);
  *is_right = is_right_answer(c->ld, answer, search->user);
  ldap_msgfree(answer);
  return search;
}

static void open_connection(struct connection *c, const struct options *o, int epoll) {
  int fd = -1;
  c->ld = connect_anonymously(o);
  ldap_get_option(c->ld, LDAP_OPT_DESC, &fd);
  struct epoll_event event = {.events = EPOLLIN, .data.ptr = c};
  epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
}

int main(int argc, char **argv) {
  struct options o = read_options(argc, argv);
  int epoll = epoll_create1(0);
  struct connection *connections = calloc((size_t) o.connections, sizeof *connections);
  for (int i = 0; i < o.connections; i++) open_connection(&connections[i], &o, epoll);
  for (int i = 0; i < o.connections; i++)
    for (int j = 0; j < o.depth; j++) send_search(&connections[i], &connections[i].searches[j], &o);
  double start = now_seconds() + o.warmup, end = start + o.seconds, cpu = 0;
  long operations = 0, wrong = 0;
  int is_measured = 0;
  long waited = 0;
  struct epoll_event events[256];
  for (;;) {
    int n = epoll_wait(epoll, events, 256, 1000);
    double now = now_seconds();
    if (!is_measured && now >= start) {
      is_measured = 1;
      start = now;
      cpu = cpu_seconds();
      waited = waits();
      operations = 0;
    }
    if (now >= end) break;
    for (int i = 0; i < n; i++) {
      struct connection *c = events[i].data.ptr;
      struct search *answered[MAX_DEPTH];
      int count = 0, is_right;
      while (count < o.depth && (answered[count] = take_answer(c, o.depth, &is_right)) != NULL) {
        answered[count]->id = -1;
        operations += is_right;
        wrong += !is_right;
        count++;
      }
      for (int j = 0; j < count; j++) send_search(c, answered[j], &o);
    }
  }
  return report("libldap", &o, operations, wrong, now_seconds() - start, cpu_seconds() - cpu,
      waits() - waited);
}
