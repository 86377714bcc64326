/* The variables of a file on top of the environment, and how a program is started with them. */
#pragma once
#include "text.h"

enum { LARGEST_FILE = 1 << 20, LONGEST_PATH = 4096 };

static const char default_path[] = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** Memory that is zero. There is always some of it: programs that start need far more. */
static void *memory(u64 size) {
  enum { READ_WRITE = 3, PRIVATE_ANONYMOUS = 0x22 };
  i64 address = syscall6(SYS_mmap, 0, size, READ_WRITE, PRIVATE_ANONYMOUS, -1, 0);
  return address < 0 && address > -4096 ? 0 : (void *)address;
}

/** Reads up to a number of bytes. Returns how many, or an error number below zero. */
static i64 read_file(const char *path, char *into, u64 space) {
  i64 file = syscall4(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
  if (file < 0) return file;
  u64 length = 0;
  i64 got = 1;
  while (got != 0 && length < space) {
    got = syscall3(SYS_read, file, into + length, space - length);
    if (got == -EINTR) continue;
    if (got < 0) break;
    length += (u64)got;
  }
  syscall1(SYS_close, file);
  return got < 0 ? got : (i64)length;
}

/** The length of a variable's name, with the equals sign; 0 if it has none. */
static u64 key_length(const char *variable) {
  const char *sign = find(variable, '=');
  return sign && sign != variable ? (u64)(sign - variable) + 1 : 0;
}

static int has_key(char *const *variables, u64 count, const char *key, u64 length) {
  for (u64 i = 0; i < count; i++)
    if (same_bytes(variables[i], key, length)) return 1;
  return 0;
}

static const char *value_of(char *const *variables, const char *key) {
  for (; *variables; variables++)
    if (same_bytes(*variables, key, length_of(key))) return *variables + length_of(key);
  return 0;
}

/** Reads the variables of a file, which zero bytes separate. Returns their number and where they are; -1 after saying why. */
static i64 variables_in(const char *path, char ***variables, struct text *why) {
  char *content = memory(LARGEST_FILE + 1);
  i64 length = content ? read_file(path, content, LARGEST_FILE) : -ENOMEM;
  if (length < 0) {
    add(why, "the secret variables can't be read: error ");
    add_number(why, (u64)-length);
    return -1;
  }
  u64 count = 0;
  for (i64 at = 0; at < length; at += (i64)length_of(content + at) + 1) count++;
  *variables = memory((count + 1) * sizeof(char *));
  int is_right = length < LARGEST_FILE && *variables;
  char *at = content;
  for (u64 i = 0; i < count && is_right; i++, at += length_of(at) + 1) {
    (*variables)[i] = at;
    is_right = key_length(at) > 0;
  }
  if (is_right) return (i64)count;
  add(why, "the file with the secret variables is damaged");
  return -1;
}

/**
 * Adds the variables of a file to an environment. Those of the file win, later ones over earlier ones. Returns the new environment, or null
 * after saying why. That names no variable, because part of a value may stand where a name should.
 */
static char **with_file(const char *path, char **environment, struct text *why) {
  char **added;
  i64 number = variables_in(path, &added, why);
  if (number < 0) return 0;
  u64 inherited = 0;
  while (environment[inherited]) inherited++;
  char **result = memory(((u64)number + inherited + 1) * sizeof(char *));
  if (!result) {
    add(why, "there is no memory left");
    return 0;
  }
  u64 count = 0;
  for (i64 i = number - 1; i >= 0; i--)
    if (!has_key(result, count, added[i], key_length(added[i]))) result[count++] = added[i];
  u64 own = count;
  for (u64 i = 0; i < inherited; i++) {
    u64 key = key_length(environment[i]);
    if (!key || !has_key(result, own, environment[i], key)) result[count++] = environment[i];
  }
  return result;
}
