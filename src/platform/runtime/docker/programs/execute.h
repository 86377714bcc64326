/* Starting a program in the place of this one. */
#pragma once
#include "environment.h"

enum { NOT_FOUND = 127, NOT_STARTED = 126, UNUSABLE = 125 };

/** Adds the name of a program. The rest of a very long one would leave no room for what is wrong with it. */
static void add_name(struct text *text, const char *program) {
  u64 length = length_of(program);
  add_bytes(text, program, length > 200 ? 200 : length);
}

/** Says that a program was not found. Returns the exit code for that. */
static int not_found(const char *program, struct text *why) {
  add_name(why, program);
  add(why, " was not found");
  return NOT_FOUND;
}

/** Says why a program that is there could not be started. Returns the exit code for that. */
static int not_started(const char *program, i64 error, struct text *why) {
  add_name(why, program);
  add(why, " can't be started: ");
  switch (error) {
    case -ENOENT: add(why, "the interpreter or loader that it needs is not in the image"); break;
    case -EACCES: add(why, "it may not be executed"); break;
    case -ENOEXEC: add(why, "it is no program for this kind of CPU, or a script without an interpreter in its first line"); break;
    case -E2BIG: add(why, "its arguments and variables are too long; one of them may have 131,071 bytes at most"); break;
    default: add(why, "error "), add_number(why, (u64)-error);
  }
  return NOT_STARTED;
}

static int exists(const char *path) { return syscall3(SYS_faccessat, AT_FDCWD, path, 0) == 0; }

/** Whether the search for a program goes on after this error: there is none in that folder. */
static int goes_on(i64 error, const char *path) { return error == -ENOTDIR || error == -EACCES || (error == -ENOENT && !exists(path)); }

/**
 * Starts a program in the place of this one. A name without a slash is searched in the folders of PATH in its environment. Returns only if
 * that failed: an exit code, after saying why.
 */
static int execute(char **arguments, char **environment, struct text *why) {
  const char *program = arguments[0];
  if (!*program) return not_found("an empty name", why);
  if (find(program, '/')) {
    i64 error = syscall3(SYS_execve, program, arguments, environment);
    return error == -ENOTDIR || (error == -ENOENT && !exists(program)) ? not_found(program, why) : not_started(program, error, why);
  }
  const char *folder = value_of(environment, "PATH=");
  if (!folder || !*folder) folder = default_path;
  int was_refused = 0;
  for (;; folder++) {
    const char *end = find(folder, ':');
    u64 length = end ? (u64)(end - folder) : length_of(folder);
    char space[LONGEST_PATH];
    struct text path = TEXT_IN(space);
    /* An empty entry means the current folder. */
    add_bytes(&path, length ? folder : ".", length ? length : 1);
    add(&path, "/");
    add(&path, program);
    if (!path.is_cut) {
      i64 error = syscall3(SYS_execve, space, arguments, environment);
      if (!goes_on(error, space)) return not_started(program, error, why);
      if (error == -EACCES && exists(space)) was_refused = 1;
    }
    if (!end) break;
    folder = end;
  }
  return was_refused ? not_started(program, -EACCES, why) : not_found(program, why);
}
