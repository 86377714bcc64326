/* A command in the container. Exit code 0 passes. */
#pragma once
#include "execute.h"
#include "network.h"

enum { SIGKILL = 9, SIGCHLD = 17, SIG_BLOCK = 0, SIG_UNBLOCK = 1 };

static void mask_child_signal(int how) {
  u64 signals = 1UL << (SIGCHLD - 1);
  syscall4(SYS_rt_sigprocmask, how, &signals, 0, sizeof signals);
}

/** What the new process does: it becomes the command. `why` is in memory that both processes have. */
__attribute__((noreturn)) static void become(char **command, const char *variables, char **environment, struct text *why) {
  enum { PR_SET_PDEATHSIG = 1 };
  /* A group of its own, so that what the command starts can be ended with it. If the engine ends this program, the command ends too. */
  syscall2(SYS_setpgid, 0, 0);
  syscall2(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL);
  mask_child_signal(SIG_UNBLOCK);
  /* The engine keeps what a health check prints, and what a command prints may be secret. */
  i64 nowhere = syscall4(SYS_openat, AT_FDCWD, "/dev/null", O_RDWR, 0);
  for (int file = 0; file < 3; file++)
    if (nowhere < 0) syscall1(SYS_close, file);
    else if (nowhere != file) syscall3(SYS_dup3, nowhere, file, 0);
  char **all = exists(variables) ? with_file(variables, environment, why) : environment;
  quit(all ? execute(command, all, why) : UNUSABLE);
}

/** Waits for a process. Returns whether it ended in time, with its status. */
static int ends_in_time(i64 process, int *status, u64 deadline) {
  enum { WNOHANG = 1 };
  u64 signals = 1UL << (SIGCHLD - 1);
  for (;;) {
    i64 ended = syscall4(SYS_wait4, process, status, WNOHANG, 0);
    if (ended == process || (ended < 0 && ended != -EINTR)) return 1;
    if (now() >= deadline) return 0;
    struct timespec time = time_until(deadline);
    syscall4(SYS_rt_sigtimedwait, &signals, 0, &time, sizeof signals);
  }
}

static int command_passes(char **command, const char *variables, char **environment, u64 deadline, u64 timeout, struct text *why) {
  enum { READ_WRITE = 3, SHARED_ANONYMOUS = 0x21, SPACE = 256 };
  static struct text *shared;
  if (!shared) {
    i64 address = syscall6(SYS_mmap, 0, sizeof *shared + SPACE, READ_WRITE, SHARED_ANONYMOUS, -1, 0);
    if (address < 0 && address > -4096) {
      add(why, "there is no memory left");
      return 0;
    }
    shared = (struct text *)address;
  }
  *shared = (struct text){ (char *)(shared + 1), 0, SPACE, 0 };
  /* Without this the signal could come before anybody waits for it. */
  mask_child_signal(SIG_BLOCK);
  i64 process = syscall6(SYS_clone, SIGCHLD, 0, 0, 0, 0, 0);
  if (process == 0) become(command, variables, environment, shared);
  if (process < 0) {
    add(why, "no process can be started: error ");
    add_number(why, (u64)-process);
    return 0;
  }
  int status = 0;
  if (!ends_in_time(process, &status, deadline)) {
    syscall2(SYS_kill, -process, SIGKILL);
    syscall2(SYS_kill, process, SIGKILL);
    while (syscall4(SYS_wait4, process, 0, 0, 0) == -EINTR) continue;
    add(why, "it did not end within ");
    add_seconds(why, timeout);
    return 0;
  }
  if (status == 0) return 1;
  int signal = status & 127;
  if (shared->length) add_bytes(why, shared->start, shared->length);
  else add(why, signal ? "signal " : "exit code "), add_number(why, (u64)(signal ? signal : status >> 8 & 255));
  return 0;
}
