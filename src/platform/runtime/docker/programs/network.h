/* Connections over TCP that end in time. */
#pragma once
#include "environment.h"

/** Milliseconds of a clock that nobody sets. */
static u64 now(void) {
  enum { CLOCK_MONOTONIC = 1 };
  struct timespec time = { 0, 0 };
  syscall2(SYS_clock_gettime, CLOCK_MONOTONIC, &time);
  return (u64)time.seconds * 1000 + (u64)time.nanoseconds / 1000000;
}

static struct timespec time_until(u64 deadline) {
  u64 time = now();
  u64 rest = deadline > time ? deadline - time : 0;
  return (struct timespec){ (i64)(rest / 1000), (i64)(rest % 1000) * 1000000 };
}

enum { POLLIN = 1, POLLOUT = 4 };

struct pollfd { int file; short events, returned; };

/** Waits until a file is ready or the time is over; with -1 for the file, until the time is over. Returns whether the file is ready. */
static int wait_for(i64 file, short events, u64 deadline) {
  struct pollfd poll = { (int)file, events, 0 };
  for (;;) {
    struct timespec time = time_until(deadline);
    i64 ready = syscall6(SYS_ppoll, &poll, 1, &time, 0, 0, 0);
    if (ready > 0) return 1;
    if (ready != -EINTR && now() >= deadline) return 0;
  }
}

/** A connection of a check, and what the check says when it fails. */
struct connection {
  i64 file;
  u64 deadline;
  u64 timeout;
  struct text *why;
};

static int say_error(struct connection *to, i64 error) {
  switch (error) {
    case -ECONNREFUSED: add(to->why, "connection refused"); break;
    case -ECONNRESET: case -EPIPE: add(to->why, "the connection was closed before an answer"); break;
    default: add(to->why, "network error "), add_number(to->why, (u64)-error);
  }
  return 0;
}

static int say_late(struct connection *to, const char *what) {
  add(to->why, what);
  add(to->why, " within ");
  add_seconds(to->why, to->timeout);
  return 0;
}

/** Reads an IPv4 address, as far as it goes. Returns its bytes in the order of the network; 0 if it is none. */
static u32 read_address(const char *text) {
  byte parts[4];
  for (int i = 0; i < 4; i++) {
    u32 part = 0, digits = 0;
    for (; *text >= '0' && *text <= '9' && digits < 3; text++, digits++) part = part * 10 + (u32)(*text - '0');
    if (!digits || part > 255 || (i < 3 && *text++ != '.')) return 0;
    parts[i] = (byte)part;
  }
  u32 address;
  memcpy(&address, parts, sizeof address);
  return address;
}

/** Whether a word of a line ends here. */
static int is_blank(char one) { return one == ' ' || one == '\t' || one == '\n' || one == 0; }

/**
 * The address under which neighbours reach this container: the one that the hosts file has for its name. A program that listens on loopback
 * only is not reached there, as it is not by them. Loopback if there is no such address.
 */
static u32 own_address(void) {
  enum { NAME_SIZE = 65 };
  static char names[6][NAME_SIZE], hosts[16384];
  const char *name = names[1];
  i64 length = syscall1(SYS_uname, names) < 0 ? -1 : read_file("/etc/hosts", hosts, sizeof hosts - 1);
  for (const char *line = hosts; length > 0 && *line; line++) {
    u32 address = read_address(line);
    for (; *line && *line != '\n'; line++)
      if (address && is_blank(line[0]) && same_bytes(line + 1, name, length_of(name)) && is_blank(line[1 + length_of(name)])) return address;
    if (!*line) break;
  }
  return read_address("127.0.0.1");
}

struct sockaddr_in { u16 family, port; u32 address; byte zero[8]; };

/** Opens a connection. Returns whether that worked. */
static int open_connection(struct connection *to, const char *host, u64 port) {
  enum { AF_INET = 2, SOCK_STREAM = 1, SOL_SOCKET = 1, SO_ERROR = 4 };
  struct sockaddr_in name = { AF_INET, (u16)(port >> 8 | (port & 255) << 8), same(host, "self") ? own_address() : read_address(host), { 0 } };
  to->file = syscall3(SYS_socket, AF_INET, SOCK_STREAM | O_NONBLOCK | O_CLOEXEC, 0);
  if (to->file < 0) return say_error(to, to->file);
  i64 error = syscall3(SYS_connect, to->file, &name, sizeof name);
  if (error == -EINPROGRESS) {
    if (!wait_for(to->file, POLLOUT, to->deadline)) return say_late(to, "no connection");
    int result = 0;
    u32 size = sizeof result;
    syscall6(SYS_getsockopt, to->file, SOL_SOCKET, SO_ERROR, &result, &size, 0);
    error = -result;
  }
  return error == 0 || say_error(to, error);
}

static void close_connection(struct connection *to) {
  if (to->file >= 0) syscall1(SYS_close, to->file);
}

/** Sends all bytes. Returns whether that worked. */
static int send_all(struct connection *to, const void *bytes, u64 length) {
  enum { MSG_NOSIGNAL = 0x4000 };
  for (u64 at = 0; at < length;) {
    i64 sent = syscall6(SYS_sendto, to->file, (const char *)bytes + at, length - at, MSG_NOSIGNAL, 0, 0);
    if (sent >= 0) at += (u64)sent;
    else if (sent == -EAGAIN) {
      if (!wait_for(to->file, POLLOUT, to->deadline)) return say_late(to, "the request was not taken");
    } else if (sent != -EINTR) return say_error(to, sent);
  }
  return 1;
}

/** Receives some bytes. Returns how many; 0 after saying why there are none. */
static u64 receive(struct connection *to, void *into, u64 space) {
  for (;;) {
    i64 got = syscall6(SYS_recvfrom, to->file, into, space, 0, 0, 0);
    if (got > 0) return (u64)got;
    if (got == 0) got = -ECONNRESET;
    if (got == -EAGAIN) {
      if (!wait_for(to->file, POLLIN, to->deadline)) return (u64)say_late(to, "no answer");
    } else if (got != -EINTR) return (u64)say_error(to, got);
  }
}
