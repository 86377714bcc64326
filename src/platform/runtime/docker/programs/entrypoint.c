/*
 * entrypoint FILE PROGRAM [ARGUMENT...]
 *
 * Starts a program with further variables: those in FILE, as NAME=value, separated by zero bytes. A container gets its secret variables this
 * way, because everybody who may inspect it sees the ones that its configuration has. The program replaces this one, so that it keeps
 * process id, signals and open files.
 *
 * Exit codes: 125 FILE can't be used, 126 the program can't be started, 127 it was not found; else those of the program.
 */
#include "execute.h"

static int run(int count, char **arguments, char **environment) {
  char space[1024];
  struct text why = TEXT_IN(space);
  int code = UNUSABLE;
  add(&why, "infra-entrypoint: ");
  if (count < 3) add(&why, "there is no program to start: set an entrypoint or arguments");
  else {
    char **all = with_file(arguments[1], environment, &why);
    if (all) code = execute(arguments + 2, all, &why);
  }
  add(&why, "\n");
  print(2, &why);
  return code;
}
