/* The arguments of the probe. The comment at the beginning of probe.c says what they are. */
#pragma once
#include "network.h"

/** A probe. Times are in milliseconds; `detail` is a path or a service; `command` ends in null. */
struct probe {
  u64 delay, period, timeout, successes, failures;
  const char *kind, *host, *detail;
  u64 port;
  char **command;
};

enum { READY, LIVE, PROBES };

static const char *state_file, *variables_file;
static u64 hold, grace;
static struct probe probes[PROBES];

/** Where the next argument is. */
static char **next;

/** Takes the next argument; an empty text after the last one. */
static const char *take(void) { return *next ? *next++ : ""; }

static int take_number(u64 *number) { return *next && read_number(*next++, number); }

/** Takes the arguments of a command, and ends them with null where the next argument was: that is moved into the place of the count. */
static int take_command(struct probe *probe) {
  char **count_at = next;
  u64 count;
  if (!take_number(&count) || count == 0) return 0;
  for (u64 i = 0; i < count; i++) {
    if (!*next) return 0;
    count_at[i] = *next++;
  }
  count_at[count] = 0;
  probe->command = count_at;
  return 1;
}

/** Takes the arguments of a probe. Returns whether they can be used. */
static int take_probe(struct probe *probe) {
  if (!take_number(&probe->delay) || !take_number(&probe->period) || !take_number(&probe->timeout) || !take_number(&probe->successes) || !take_number(&probe->failures)) return 0;
  if (!probe->period || !probe->timeout || !probe->successes || !probe->failures) return 0;
  probe->kind = take();
  if (same(probe->kind, "exec")) return take_command(probe);
  probe->host = take();
  if (!same(probe->host, "self") && !read_address(probe->host)) return 0;
  if (!take_number(&probe->port) || probe->port == 0 || probe->port > 65535) return 0;
  if (same(probe->kind, "tcp")) return 1;
  if (!same(probe->kind, "http") && !same(probe->kind, "grpc")) return 0;
  probe->detail = *next;
  return take() == probe->detail;
}

/** Takes all arguments. Returns whether they can be used. */
static int take_arguments(int count, char **arguments) {
  if (count < 5) return 0;
  next = arguments + 1;
  state_file = take();
  variables_file = take();
  if (!take_number(&hold) || !take_number(&grace)) return 0;
  while (*next) {
    const char *name = take();
    struct probe *probe = &probes[same(name, "live") ? LIVE : READY];
    if ((!same(name, "live") && !same(name, "ready")) || probe->kind || !take_probe(probe)) return 0;
  }
  return probes[READY].kind || probes[LIVE].kind;
}
