/*
 * send-request PORT TIMEOUT
 *
 * Sends the text of the variable REQUEST to a port of its own host's loopback address, and prints what is answered until the other side
 * closes the connection. The timeout is in milliseconds, for all of it.
 *
 * Exit codes: 0 something was answered, 1 nothing was, 2 the arguments can't be used.
 */
#include "network.h"

static int run(int count, char **arguments, char **environment) {
  char space[256], bytes[16384];
  struct text why = TEXT_IN(space);
  struct connection to = { -1, 0, 0, &why };
  u64 port = 0, answered = 0;
  const char *request = value_of(environment, "REQUEST=");
  add(&why, "infra-send-request: ");
  if (count != 3 || !request || !read_number(arguments[1], &port) || port == 0 || port > 65535 || !read_number(arguments[2], &to.timeout)) {
    add(&why, "a port, a timeout and the variable REQUEST are needed\n");
    print(2, &why);
    return 2;
  }
  to.deadline = now() + to.timeout;
  if (open_connection(&to, "127.0.0.1", port) && send_all(&to, request, length_of(request))) {
    for (u64 got; (got = receive(&to, bytes, sizeof bytes)); answered += got) {
      struct text part = { bytes, got, sizeof bytes, 0 };
      print(1, &part);
    }
  }
  close_connection(&to);
  if (answered) return 0;
  add(&why, "\n");
  print(2, &why);
  return 1;
}
