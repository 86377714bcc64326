/*
 * probe STATE VARIABLES HOLD GRACE [ready PROBE] [live PROBE]
 * PROBE: DELAY PERIOD TIMEOUT SUCCESSES FAILURES CHECK
 * CHECK: http HOST PORT PATH | tcp HOST PORT | grpc HOST PORT SERVICE | exec COUNT PROGRAM [ARGUMENT...]
 *
 * The health check of a container. An engine runs it again and again, and starting a process in a container is expensive. So each run lasts:
 * it checks in the periods of its probes until there is something to tell, or until HOLD is over. What it knows is in the file STATE, where
 * the next run goes on. Times are in milliseconds. HOST is an IPv4 address, or self for the address that the hosts file has.
 * VARIABLES may be a file with further variables for commands, as for the entrypoint.
 *
 * Until the readiness probe has passed, a run ends with 0 only when it passes. One that begins before GRACE is over ends with 1 after HOLD, to
 * tell why; the engine must not count that. Later ones go on until the container is ready or its liveness probe has failed.
 * From then on, a run ends with 1 only when the liveness probe has failed. The readiness probe goes on, and its failures are told with exit
 * code 0: an engine would end the container, and has no other way to keep requests away from it. Without a readiness probe the container is
 * ready at once.
 *
 * One line says what fails. Exit code 2: the arguments can't be used.
 */
#include "check-exec.h"
#include "check-grpc.h"
#include "check-http.h"
#include "probe-arguments.h"

/** What is known of a probe. `streak` counts equal results in a row, failures below zero. */
struct progress {
  u64 due;
  i64 streak;
  u64 is_good;
  char why[256];
};

struct state {
  u64 format, began, is_started;
  struct progress of[PROBES];
};

/** Of the structure above, so that another version doesn't misread it. */
static const u64 state_format = 0x696e667261000001;

static char **environment;
static struct state state;

/** Reads what an earlier run kept, or begins with what is known at the start. Returns whether there was something. */
static int read_state(u64 start) {
  i64 file = syscall4(SYS_openat, AT_FDCWD, state_file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0);
  i64 length = file < 0 ? 0 : syscall4(SYS_pread64, file, &state, sizeof state, 0);
  if (file >= 0) syscall1(SYS_close, file);
  /* Programs of the container can write the file too. */
  for (int i = 0; i < PROBES; i++) state.of[i].why[sizeof state.of[i].why - 1] = 0;
  if (length == sizeof state && state.format == state_format) return 1;
  state = (struct state){ .format = state_format, .began = start, .is_started = !probes[READY].kind };
  for (int i = 0; i < PROBES; i++) state.of[i] = (struct progress){ .due = state.began + probes[i].delay, .is_good = i == LIVE };
  return 0;
}

/** Keeps what is known for the next run. Returns an error number below zero if that failed. */
static i64 write_state(void) {
  enum { ONLY_OWNER = 0600 };
  i64 file = syscall4(SYS_openat, AT_FDCWD, state_file, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, ONLY_OWNER);
  if (file < 0) return file;
  i64 written = syscall4(SYS_pwrite64, file, &state, sizeof state, 0);
  syscall1(SYS_close, file);
  return written;
}

static char line_space[512];

/** Says what is known of a probe. */
static void add_progress(struct text *line, int which) {
  const struct progress *known = &state.of[which];
  const struct probe *probe = &probes[which];
  if (known->streak < 0) {
    add(line, known->why);
    if (known->streak < -1) add(line, ", "), add_number(line, (u64)-known->streak), add(line, " times in a row");
  } else if (known->streak > 0) {
    add(line, "it passed "), add_number(line, (u64)known->streak), add(line, " of "), add_number(line, probe->successes), add(line, " times");
  } else add(line, "its initial delay of "), add_seconds(line, probe->delay), add(line, " is not over");
}

/** Whether the liveness probe has failed often enough. */
static int is_dead(void) { return probes[LIVE].kind && !state.of[LIVE].is_good; }

/** Keeps what is known, says what is wrong, and ends the run. */
__attribute__((noreturn)) static void finish(int code) {
  struct text line = TEXT_IN(line_space);
  i64 written = write_state();
  if (written < 0) {
    code = 1;
    add(&line, "the state can't be kept in "), add(&line, state_file), add(&line, ": error "), add_number(&line, (u64)-written);
  } else if (is_dead()) add(&line, "not alive: "), add_progress(&line, LIVE);
  else if (probes[READY].kind && !state.of[READY].is_good) add(&line, "not ready: "), add_progress(&line, READY);
  else add(&line, "ready");
  add(&line, "\n");
  print(1, &line);
  quit(code);
}

static int passes(const struct probe *probe, struct text *why) {
  u64 deadline = now() + probe->timeout;
  if (probe->command) return command_passes(probe->command, variables_file, environment, deadline, probe->timeout, why);
  struct connection to = { -1, deadline, probe->timeout, why };
  add(why, "port "), add_number(why, probe->port), add(why, ": ");
  int is_good = open_connection(&to, probe->host, probe->port)
    && (same(probe->kind, "tcp") || (same(probe->kind, "http") ? answers_http(&to, probe->port, probe->detail) : answers_grpc(&to, probe->detail)));
  close_connection(&to);
  return is_good;
}

/** Checks once. Returns whether that changed what the probe says. */
static int check(int which) {
  const struct probe *probe = &probes[which];
  struct progress *known = &state.of[which];
  struct text why = TEXT_IN(known->why);
  known->due = now() + probe->period;
  int is_passed = passes(probe, &why);
  if (is_passed != (known->streak > 0)) known->streak = 0;
  known->streak += is_passed ? 1 : -1;
  u64 was_good = known->is_good;
  if (known->streak >= (i64)probe->successes) known->is_good = 1;
  if (known->streak <= -(i64)probe->failures) known->is_good = 0;
  return known->is_good != was_good;
}

static int run(int count, char **arguments, char **variables) {
  environment = variables;
  if (!take_arguments(count, arguments)) {
    struct text line = TEXT_IN(line_space);
    add(&line, "infra-probe: argument "), add_number(&line, next ? (u64)(next - arguments) : 0), add(&line, " can't be used\n");
    print(1, &line);
    return 2;
  }
  u64 start = now();
  int is_first = !read_state(start);
  if (is_first && state.is_started) finish(0);
  if (is_dead()) {
    /* An engine runs this again until the container has ended, and should have time for that. */
    wait_for(-1, 0, start + 1000);
    finish(1);
  }
  u64 grace_end = state.began + grace;
  /* After the grace the engine counts failures: a run then ends only when there is something to tell. */
  u64 end = state.is_started ? start + hold : start >= grace_end ? (u64)-1 : start + hold < grace_end ? start + hold : grace_end;
  for (;;) {
    int which = !probes[LIVE].kind || (probes[READY].kind && state.of[READY].due <= state.of[LIVE].due) ? READY : LIVE;
    u64 due = state.of[which].due;
    wait_for(-1, 0, due < end ? due : end);
    /* A check that was due in time is made, however late it is. */
    if (due >= end) finish(state.is_started ? 0 : 1);
    int is_changed = check(which);
    if (is_dead()) finish(1);
    if (which == READY && is_changed) {
      state.is_started = 1;
      finish(0);
    }
  }
}
