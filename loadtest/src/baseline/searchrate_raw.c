/*
 * Searches people by uid in a closed loop over non-blocking sockets and epoll, with its own BER: about the least that a
 * client can spend on a request. With --depth, so many searches are outstanding on each connection, and what the answers
 * of one read make room for leaves with one write. Every answer must be one entry named uid=user.N, and success.
 */
#include "searchrate.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BUFFER = 65536, LARGEST_REQUEST = 300, FIRST_ID = 0x10000, LAST_ID = 0x7fffff };

struct search {
  uint32_t id; /* leaves the search's number as its remainder by the depth */
  uint32_t user;
  int entries;
  int is_right;
};

struct connection {
  int fd;
  size_t filled;
  unsigned char *in;
  size_t out_length;
  unsigned char *out;
  struct search searches[MAX_DEPTH];
};

static long operations, wrong;

static unsigned char *put(unsigned char *at, int tag, const void *content, size_t length) {
  *at++ = (unsigned char) tag;
  *at++ = (unsigned char) length; /* callers stay below 128 */
  memcpy(at, content, length);
  return at + length;
}

static uint32_t first_id(const struct connection *c, const struct search *search, int depth) {
  uint32_t d = (uint32_t) depth;
  return FIRST_ID - FIRST_ID % d + d + (uint32_t) (search - c->searches);
}

/* Writes a search behind those that leave with it. */
static void begin_search(struct connection *c, struct search *search, const struct options *o) {
  unsigned char operation[256], *at = operation;
  char uid[24];
  search->user = random_below(o->users);
  search->id = search->id + (uint32_t) o->depth > LAST_ID ? first_id(c, search, o->depth) : search->id + (uint32_t) o->depth;
  search->entries = 0;
  search->is_right = 1;
  int uid_length = snprintf(uid, sizeof uid, "user.%u", search->user);
  static const unsigned char fixed[] = {0x0a, 1, 2, 0x0a, 1, 0, 2, 1, 0, 2, 1, 0, 1, 1, 0};
  at = put(at, 0x04, o->base, strlen(o->base));
  memcpy(at, fixed, sizeof fixed);
  at += sizeof fixed;
  *at++ = 0xa3;
  *at++ = (unsigned char) (2 + 3 + 2 + uid_length);
  at = put(at, 0x04, "uid", 3);
  at = put(at, 0x04, uid, (size_t) uid_length);
  at = put(at, 0x30, "", 0);
  size_t length = (size_t) (at - operation);
  unsigned char *m = c->out + c->out_length;
  *m++ = 0x30;
  *m++ = (unsigned char) (5 + 2 + length);
  *m++ = 0x02;
  *m++ = 3;
  *m++ = (unsigned char) (search->id >> 16);
  *m++ = (unsigned char) (search->id >> 8);
  *m++ = (unsigned char) search->id;
  m = put(m, 0x63, operation, length);
  c->out_length = (size_t) (m - c->out);
}

static void flush(struct connection *c) {
  if (c->out_length == 0) return;
  if (send(c->fd, c->out, c->out_length, MSG_NOSIGNAL) != (ssize_t) c->out_length) {
    perror("send");
    exit(1);
  }
  c->out_length = 0;
}

/* Reads a length; where the content begins, or 0 when not enough is there. */
static size_t read_length(const unsigned char *in, size_t at, size_t end, size_t *length) {
  if (at >= end) return 0;
  if (in[at] < 0x80) {
    *length = in[at];
    return at + 1;
  }
  size_t octets = in[at] & 0x7f;
  if (octets > 4 || at + octets >= end) return 0;
  *length = 0;
  for (size_t i = 1; i <= octets; i++) *length = *length << 8 | in[at + i];
  return at + 1 + octets;
}

static void check_entry(struct search *search, const unsigned char *in, size_t at, size_t end) {
  char expected[32];
  size_t length;
  int n = snprintf(expected, sizeof expected, "uid=user.%u,", search->user);
  size_t dn = at < end && in[at] == 0x04 ? read_length(in, at + 1, end, &length) : 0;
  search->entries++;
  search->is_right &= dn != 0 && length > (size_t) n && dn + length <= end && !memcmp(in + dn, expected, (size_t) n);
}

/* Ends a search, and begins the next one in its place. */
static void answered(struct connection *c, struct search *search, int code, const struct options *o) {
  int is_right = code == 0 && search->entries == 1 && search->is_right;
  operations += is_right;
  wrong += !is_right;
  begin_search(c, search, o);
}

/* Takes whole messages; 0 when what came is no answer. */
static int take_messages(struct connection *c, const struct options *o) {
  size_t at = 0;
  while (at + 2 <= c->filled) {
    size_t length, operation_length;
    size_t content = read_length(c->in, at + 1, c->filled, &length);
    if (content == 0 || content + length > c->filled) break;
    size_t end = content + length;
    const unsigned char *in = c->in;
    if (in[at] != 0x30 || in[content] != 0x02) return 0;
    size_t operation = content + 2 + in[content + 1];
    uint32_t id = 0;
    for (size_t i = content + 2; i < operation; i++) id = id << 8 | in[i];
    size_t body = read_length(in, operation + 1, end, &operation_length);
    struct search *search = &c->searches[id % (uint32_t) o->depth];
    if (id != search->id || body == 0) return 0;
    if (in[operation] == 0x64) check_entry(search, in, body, body + operation_length);
    else if (in[operation] == 0x65) answered(c, search, in[body + 2], o);
    at = end;
  }
  memmove(c->in, c->in + at, c->filled - at);
  c->filled -= at;
  return 1;
}

static void open_connection(struct connection *c, const struct options *o, int epoll) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t) o->port)};
  int one = 1;
  inet_pton(AF_INET, o->host, &address.sin_addr);
  c->fd = socket(AF_INET, SOCK_STREAM, 0);
  if (c->fd < 0 || connect(c->fd, (struct sockaddr *) &address, sizeof address) != 0) {
    perror("connect");
    exit(1);
  }
  setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  c->in = malloc(BUFFER);
  c->out = malloc((size_t) o->depth * LARGEST_REQUEST);
  for (int i = 0; i < o->depth; i++) {
    c->searches[i].id = first_id(c, &c->searches[i], o->depth);
    begin_search(c, &c->searches[i], o);
  }
  struct epoll_event event = {.events = EPOLLIN, .data.ptr = c};
  epoll_ctl(epoll, EPOLL_CTL_ADD, c->fd, &event);
}

int main(int argc, char **argv) {
  struct options o = read_options(argc, argv);
  if (strlen(o.base) > 60) {
    fprintf(stderr, "--base is too long for this program\n");
    return 2;
  }
  int epoll = epoll_create1(0);
  struct connection *connections = calloc((size_t) o.connections, sizeof *connections);
  for (int i = 0; i < o.connections; i++) open_connection(&connections[i], &o, epoll);
  for (int i = 0; i < o.connections; i++) flush(&connections[i]);
  double start = now_seconds() + o.warmup, end = start + o.seconds, cpu = 0;
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
      ssize_t got = recv(c->fd, c->in + c->filled, BUFFER - c->filled, 0);
      if (got <= 0) {
        fprintf(stderr, "connection lost: %s\n", got == 0 ? "closed" : strerror(errno));
        return 1;
      }
      c->filled += (size_t) got;
      if (!take_messages(c, &o)) {
        fprintf(stderr, "what came is no answer\n");
        return 1;
      }
      flush(c);
    }
  }
  return report("raw", &o, operations, wrong, now_seconds() - start, cpu_seconds() - cpu,
      waits() - waited);
}
