/*
 * remove-links NAME...
 *
 * Removes network links of the namespace that it runs in, which takes the capability NET_ADMIN. One that isn't there is fine.
 *
 * Exit codes: 0 none of them is there any more, 1 one can't be removed, 2 the arguments can't be used.
 */
#include "text.h"

enum { AF_NETLINK = 16, SOCK_RAW = 3, NETLINK_ROUTE = 0, RTM_DELLINK = 17, NLM_F_REQUEST = 1, NLM_F_ACK = 4, IFLA_IFNAME = 3, NLMSG_ERROR = 2, ENODEV = 19, NAME_SPACE = 16 };

/** What heads every message of a netlink. */
struct message { u32 length; u16 type, flags; u32 sequence, port; };

/** Asks the kernel to remove a link. */
struct removal {
  struct message head;
  byte family, unused;
  u16 device;
  u32 index, flags, change;
  u16 attribute_length, attribute;
  char name[NAME_SPACE];
};

/** What the kernel answers: 0, or an error below it. What follows is the request. */
struct answer {
  struct message head;
  int error;
  byte rest[256];
};

/** Removes one link. Returns 0, or an error below it. */
static i64 remove_link(i64 file, const char *name) {
  struct removal removal;
  struct answer answer;
  u64 length = length_of(name);
  memset(&removal, 0, sizeof removal);
  removal.head = (struct message){ sizeof removal, RTM_DELLINK, NLM_F_REQUEST | NLM_F_ACK, 1, 0 };
  removal.attribute_length = (u16)(4 + length + 1);
  removal.attribute = IFLA_IFNAME;
  memcpy(removal.name, name, length);
  i64 done = syscall6(SYS_sendto, file, &removal, sizeof removal, 0, 0, 0);
  if (done < 0) return done;
  do done = syscall6(SYS_recvfrom, file, &answer, sizeof answer, 0, 0, 0);
  while (done == -EINTR);
  if (done < 0) return done;
  return answer.head.type == NLMSG_ERROR ? answer.error : 0;
}

static int run(int count, char **arguments, char **environment) {
  char space[256];
  struct text why = TEXT_IN(space);
  int code = 0;
  (void)environment;
  add(&why, "infra-remove-links: ");
  for (int at = 1; at < count; at++)
    if (!*arguments[at] || length_of(arguments[at]) >= NAME_SPACE) code = 2;
  if (count < 2) code = 2;
  if (code) add(&why, "the names of links are needed, of 1 to 15 bytes");
  i64 file = code ? 0 : syscall3(SYS_socket, AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);
  for (int at = 1; at < count && !code; at++) {
    i64 error = file < 0 ? file : remove_link(file, arguments[at]);
    if (error == 0 || error == -ENODEV) continue;
    code = 1;
    add(&why, arguments[at]), add(&why, " can't be removed: error "), add_number(&why, (u64)-error);
  }
  add(&why, "\n");
  if (code) print(2, &why);
  return code;
}
