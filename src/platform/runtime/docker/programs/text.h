/* Texts in fixed space. What doesn't fit is cut off, and remembered as cut off. */
#pragma once
#include "syscalls.h"

static u64 length_of(const char *text) {
  u64 length = 0;
  while (text[length]) length++;
  return length;
}

static int same(const char *one, const char *other) {
  while (*one && *one == *other) one++, other++;
  return *one == *other;
}

static int same_bytes(const char *one, const char *other, u64 length) {
  for (u64 i = 0; i < length; i++)
    if (one[i] != other[i]) return 0;
  return 1;
}

static const char *find(const char *text, char wanted) {
  for (; *text; text++)
    if (*text == wanted) return text;
  return 0;
}

/** A text that grows in the space of somebody else. It always ends in a zero byte. */
struct text {
  char *start;
  u64 length, space;
  int is_cut;
};

#define TEXT_IN(array) ((struct text){ array, 0, sizeof array, 0 })

static void add_bytes(struct text *text, const char *bytes, u64 length) {
  u64 room = text->space - text->length - 1;
  if (length > room) text->is_cut = 1, length = room;
  memcpy(text->start + text->length, bytes, length);
  text->length += length;
  text->start[text->length] = 0;
}

static void add(struct text *text, const char *more) { add_bytes(text, more, length_of(more)); }

static void add_number(struct text *text, u64 number) {
  char digits[20];
  int at = sizeof digits;
  do digits[--at] = (char)('0' + number % 10);
  while (number /= 10);
  add_bytes(text, digits + at, sizeof digits - at);
}

/** A time in seconds with as many decimals as it needs. */
static void add_seconds(struct text *text, u64 milliseconds) {
  add_number(text, milliseconds / 1000);
  u64 rest = milliseconds % 1000;
  if (rest) add(text, ".");
  for (u64 digit = 100; rest; rest %= digit, digit /= 10) add_number(text, rest / digit);
  add(text, " s");
}

/** Reads a decimal number that fills the whole text. Returns whether it is one. */
static int read_number(const char *text, u64 *number) {
  u64 value = 0;
  if (!*text) return 0;
  for (; *text; text++) {
    if (*text < '0' || *text > '9' || value > 100000000000000) return 0;
    value = value * 10 + (u64)(*text - '0');
  }
  *number = value;
  return 1;
}

static void print(int file, struct text *text) {
  for (u64 at = 0; at < text->length;) {
    i64 written = syscall3(SYS_write, file, text->start + at, text->length - at);
    if (written == -EINTR) continue;
    if (written <= 0) return;
    at += (u64)written;
  }
}
