/*
 * Searches people by uid in a closed loop over non-blocking sockets and epoll, with its own BER: about the least that a
 * client can spend on a request. Every answer must be one entry named uid=user.N, and success.
 */
#include "searchrate.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BUFFER = 65536 };

struct connection {
  int fd;
  uint32_t id;
  uint32_t user;
  int entries;
  int is_right;
  size_t filled;
  unsigned char *in;
};

static unsigned char *put(unsigned char *at, int tag, const void *content, size_t length) {
  *at++ = (unsigned char) tag;
  *at++ = (unsigned char) length; /* callers stay below 128 */
  memcpy(at, content, length);
  return at + length;
}

static void send_search(struct connection *c, const struct options *o) {
  unsigned char operation[256], message[300], *at = operation;
  char uid[24];
  c->user = random_below(o->users);
  c->id = c->id >= 0x7fffff ? 0x10000 : c->id + 1;
  c->entries = 0;
  c->is_right = 1;
  int uid_length = snprintf(uid, sizeof uid, "user.%u", c->user);
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
  unsigned char *m = message;
  *m++ = 0x30;
  *m++ = (unsigned char) (5 + 2 + length);
  *m++ = 0x02;
  *m++ = 3;
  *m++ = (unsigned char) (c->id >> 16);
  *m++ = (unsigned char) (c->id >> 8);
  *m++ = (unsigned char) c->id;
  m = put(m, 0x63, operation, length);
  if (send(c->fd, message, (size_t) (m - message), MSG_NOSIGNAL) != m - message) {
    perror("send");
    exit(1);
  }
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

static void check_entry(struct connection *c, const unsigned char *in, size_t at, size_t end) {
  char expected[32];
  size_t length;
  int n = snprintf(expected, sizeof expected, "uid=user.%u,", c->user);
  size_t dn = at < end && in[at] == 0x04 ? read_length(in, at + 1, end, &length) : 0;
  c->entries++;
  c->is_right &= dn != 0 && length > (size_t) n && dn + length <= end && !memcmp(in + dn, expected, (size_t) n);
}

/* Takes whole messages; 1 when the answer ended rightly, 0 when it goes on, -1 when it is wrong. */
static int take_messages(struct connection *c) {
  size_t at = 0;
  int ended = 0;
  while (at + 2 <= c->filled) {
    size_t length, operation_length;
    size_t content = read_length(c->in, at + 1, c->filled, &length);
    if (content == 0 || content + length > c->filled) break;
    size_t end = content + length;
    const unsigned char *in = c->in;
    if (in[at] != 0x30 || in[content] != 0x02) return -1;
    size_t operation = content + 2 + in[content + 1];
    uint32_t id = 0;
    for (size_t i = content + 2; i < operation; i++) id = id << 8 | in[i];
    size_t body = read_length(in, operation + 1, end, &operation_length);
    if (id != c->id || body == 0) return -1;
    if (in[operation] == 0x64) {
      check_entry(c, in, body, body + operation_length);
    } else if (in[operation] == 0x65) {
      if (in[body + 2] != 0 || c->entries != 1 || !c->is_right) return -1;
      ended = 1;
    }
    at = end;
  }
  memmove(c->in, c->in + at, c->filled - at);
  c->filled -= at;
  return ended;
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
  c->id = 0x10000;
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
      ssize_t got = recv(c->fd, c->in + c->filled, BUFFER - c->filled, 0);
      if (got <= 0) {
        fprintf(stderr, "connection lost: %s\n", got == 0 ? "closed" : strerror(errno));
        return 1;
      }
      c->filled += (size_t) got;
      int outcome = take_messages(c);
      if (outcome == 0) continue;
      operations += outcome > 0;
      wrong += outcome < 0;
      if (outcome < 0) c->filled = 0;
      send_search(c, &o);
    }
  }
  return report("raw", operations, wrong, now_seconds() - start, cpu_seconds() - cpu);
}
