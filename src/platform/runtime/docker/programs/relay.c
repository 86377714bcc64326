/*
 * relay ADDRESS PORT
 *
 * Passes what it reads from its standard input on to a server over TCP, and what the server sends to its standard output, until one of them
 * ends.
 *
 * Exit codes: 0 one of them ended, 1 no connection, 2 the arguments can't be used.
 */
#include "network.h"

enum { CONNECT_MILLISECONDS = 10000, SEND_MILLISECONDS = 60000 };

/** Writes all bytes to the standard output. Returns whether that worked. */
static int write_out(const char *bytes, u64 length) {
  for (u64 at = 0; at < length;) {
    i64 written = syscall3(SYS_write, 1, bytes + at, length - at);
    if (written == -EINTR) continue;
    if (written <= 0) return 0;
    at += (u64)written;
  }
  return 1;
}

/** Reads from one side what is there. Returns 0 where that side has ended. */
static i64 read_some(i64 file, char *into, u64 space) {
  i64 got;
  do got = syscall3(SYS_read, file, into, space);
  while (got == -EINTR);
  return got;
}

/** Passes bytes on in both directions until one side ends. */
static void pass_on(struct connection *to) {
  static char bytes[65536];
  for (;;) {
    struct pollfd sides[2] = { { 0, POLLIN, 0 }, { (int)to->file, POLLIN, 0 } };
    i64 ready = syscall6(SYS_ppoll, sides, 2, 0, 0, 0, 0);
    if (ready == -EINTR) continue;
    if (ready < 0) return;
    if (sides[0].returned) {
      i64 got = read_some(0, bytes, sizeof bytes);
      to->deadline = now() + SEND_MILLISECONDS;
      if (got <= 0 || !send_all(to, bytes, (u64)got)) return;
    }
    if (sides[1].returned) {
      i64 got = read_some(to->file, bytes, sizeof bytes);
      if (got == -EAGAIN) continue;
      if (got <= 0 || !write_out(bytes, (u64)got)) return;
    }
  }
}

static int run(int count, char **arguments, char **environment) {
  char space[256];
  struct text why = TEXT_IN(space);
  u64 port = 0;
  (void)environment;
  if (count != 3 || !read_address(arguments[1]) || !read_number(arguments[2], &port) || port < 1 || port > 65535) {
    add(&why, "infra-relay: an IPv4 address and a port are needed\n");
    print(2, &why);
    return 2;
  }
  struct connection to = { -1, now() + CONNECT_MILLISECONDS, CONNECT_MILLISECONDS, &why };
  int is_open = open_connection(&to, arguments[1], port);
  if (is_open) pass_on(&to);
  else add(&why, "\n"), print(2, &why);
  close_connection(&to);
  return !is_open;
}
