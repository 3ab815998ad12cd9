/*
 * Searches people by uid in a closed loop with OpenLDAP's client library, one thread for all connections: what a client
 * in C usually spends on a request. Every answer must be one entry named uid=user.N with attributes, and success.
 */
#include "searchrate.h"

#include <ldap.h>
#include <sys/epoll.h>

struct connection {
  LDAP *ld;
  int id;
  uint32_t user;
};

static void check(int code, const char *what) {
  if (code != LDAP_SUCCESS) {
    fprintf(stderr, "%s: %s\n", what, ldap_err2string(code));
    exit(1);
  }
}

static void send_search(struct connection *c, const struct options *o) {
  char filter[40];
  c->user = random_below(o->users);
  snprintf(filter, sizeof filter, "(uid=user.%u)", c->user);
  check(ldap_search_ext(c->ld, o->base, LDAP_SCOPE_SUBTREE, filter, NULL, 0, NULL, NULL, NULL, 0, &c->id), "search");
}

/* 1 when the answer is right, -1 when not, 0 when it is not whole yet. */
static int take_answer(struct connection *c) {
  struct timeval none = {0, 0};
  LDAPMessage *answer = NULL;
  int type = ldap_result(c->ld, c->id, LDAP_MSG_ALL, &none, &answer);
  if (type == 0) return 0;
  if (type < 0) {
    fprintf(stderr, "connection lost\n");
    exit(1);
  }
  int code = 0, is_right = 0;
  char expected[32];
  int n = snprintf(expected, sizeof expected, "uid=user.%u,", c->user);
  LDAPMessage *entry = ldap_first_entry(c->ld, answer);
  if (entry != NULL && ldap_count_entries(c->ld, answer) == 1) {
    BerElement *ber = NULL;
    char *dn = ldap_get_dn(c->ld, entry);
    char *attribute = ldap_first_attribute(c->ld, entry, &ber);
    is_right = dn != NULL && attribute != NULL && !strncmp(dn, expected, (size_t) n);
    ldap_memfree(attribute);
    ldap_memfree(dn);
    ber_free(ber, 0);
  }
  ldap_parse_result(c->ld, answer, &code, NULL, NULL, NULL, NULL, 0);
  ldap_msgfree(answer);
  return is_right && code == LDAP_SUCCESS ? 1 : -1;
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
  for (int i = 0; i < o.connections; i++) send_search(&connections[i], &o);
  double start = now_seconds() + o.warmup, end = start + o.seconds, cpu = 0;
  long operations = 0, wrong = 0;
  int is_measured = 0;
  struct epoll_event events[256];
  for (;;) {
    int n = epoll_wait(epoll, events, 256, 1000);
    double now = now_seconds();
    if (!is_measured && now >= start) {
      is_measured = 1;
      start = now;
      cpu = cpu_seconds();
      operations = 0;
    }
    if (now >= end) break;
    for (int i = 0; i < n; i++) {
      struct connection *c = events[i].data.ptr;
      int outcome = take_answer(c);
      if (outcome == 0) continue;
      operations += outcome > 0;
      wrong += outcome < 0;
      send_search(c, &o);
    }
  }
  return report("libldap", operations, wrong, now_seconds() - start, cpu_seconds() - cpu);
}
