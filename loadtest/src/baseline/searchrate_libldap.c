/*
 * Searches people by uid in a closed loop with OpenLDAP's client library, one thread for all connections: what a client
 * in C usually spends on a request. With --depth, so many searches are outstanding on each connection (the library's
 * asynchronous calls); the answers that are there are taken first, then as many searches are sent. Every answer must be one entry named uid=user.N with attributes, and success.
 */
#include "searchrate.h"

#include <ldap.h>
#include <sys/epoll.h>

struct search {
  int id;
  uint32_t user;
};

struct connection {
  LDAP *ld;
  struct search searches[MAX_DEPTH];
};

static void check(int code, const char *what) {
  if (code != LDAP_SUCCESS) {
    fprintf(stderr, "%s: %s\n", what, ldap_err2string(code));
    exit(1);
  }
}

static void send_search(struct connection *c, struct search *search, const struct options *o) {
  char filter[40];
  search->user = random_below(o->users);
  snprintf(filter, sizeof filter, "(uid=user.%u)", search->user);
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
  int code = 0;
  char expected[32];
  int n = snprintf(expected, sizeof expected, "uid=user.%u,", search->user);
  LDAPMessage *entry = ldap_first_entry(c->ld, answer);
  *is_right = 0;
  if (entry != NULL && ldap_count_entries(c->ld, answer) == 1) {
    BerElement *ber = NULL;
    char *dn = ldap_get_dn(c->ld, entry);
    char *attribute = ldap_first_attribute(c->ld, entry, &ber);
    *is_right = dn != NULL && attribute != NULL && !strncmp(dn, expected, (size_t) n);
    ldap_memfree(attribute);
    ldap_memfree(dn);
    ber_free(ber, 0);
  }
  ldap_parse_result(c->ld, answer, &code, NULL, NULL, NULL, NULL, 0);
  ldap_msgfree(answer);
  *is_right &= code == LDAP_SUCCESS;
  return search;
}

static void open_connection(struct connection *c, const struct options *o, int epoll) {
  char url[128];
  int version = LDAP_VERSION3, fd = -1;
  struct berval none = {0, ""};
  snprintf(url, sizeof url, "ldap://%s:%d", o->host, o->port);
  check(ldap_initialize(&c->ld, url), "initialize");
  ldap_set_option(c->ld, LDAP_OPT_PROTOCOL_VERSION, &version);
  check(ldap_sasl_bind_s(c->ld, "", LDAP_SASL_SIMPLE, &none, NULL, NULL, NULL), "anonymous bind");
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
