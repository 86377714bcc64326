/* GET over HTTP/1.1. A status of 200 to 399 passes; redirects are not followed. */
#pragma once
#include "network.h"

/** The number in "HTTP/1.1 200 OK"; 0 if the line is another one. */
static u64 status_in(const char *line) {
  if (!same_bytes(line, "HTTP/1.", 7) || line[8] != ' ') return 0;
  u64 status = 0;
  for (int i = 9; i < 12; i++) {
    if (line[i] < '0' || line[i] > '9') return 0;
    status = status * 10 + (u64)(line[i] - '0');
  }
  return status;
}

/** Reads the rest of a short answer, because servers complain when it isn't taken. */
static void take_rest(struct connection *to) {
  char bytes[4096], ignored[128];
  struct text silent = TEXT_IN(ignored);
  u64 patience = now() + 100;
  struct connection rest = { to->file, patience < to->deadline ? patience : to->deadline, 0, &silent };
  for (u64 taken = 0, got; taken < 65536 && (got = receive(&rest, bytes, sizeof bytes)); taken += got) continue;
}

static int answers_http(struct connection *to, u64 port, const char *path) {
  char space[16384];
  struct text request = TEXT_IN(space);
  add(&request, "GET ");
  add(&request, path);
  /* Frameworks that check this name know localhost; they can't know the address. */
  add(&request, " HTTP/1.1\r\nHost: localhost:");
  add_number(&request, port);
  add(&request, "\r\nUser-Agent: infra-probe\r\nAccept: */*\r\nConnection: close\r\n\r\n");
  if (request.is_cut) {
    add(to->why, "the path is too long");
    return 0;
  }
  if (!send_all(to, request.start, request.length)) return 0;
  enum { STATUS_LENGTH = 12 };
  char line[STATUS_LENGTH + 1] = "";
  for (u64 length = 0, got; length < STATUS_LENGTH; length += got)
    if (!(got = receive(to, line + length, STATUS_LENGTH - length))) return 0;
  u64 status = status_in(line);
  if (status >= 100) take_rest(to);
  if (status >= 200 && status < 400) return 1;
  if (status == 0) add(to->why, "the answer is not HTTP");
  else add(to->why, "status "), add_number(to->why, status);
  return 0;
}
