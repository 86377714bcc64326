/*
 * What programs without a C library call: the kernel of Linux on x86_64 and aarch64. Containers may hold nothing but their own program, so
 * these programs bring everything along. The numbers and structures below are part of the kernel's stable interface.
 */
#pragma once

typedef unsigned char byte;
typedef unsigned short u16;
typedef unsigned int u32;
typedef long i64;
typedef unsigned long u64;

#if defined(__x86_64__)
enum {
  SYS_read = 0, SYS_write = 1, SYS_close = 3, SYS_mmap = 9, SYS_rt_sigprocmask = 14, SYS_pread64 = 17, SYS_pwrite64 = 18, SYS_socket = 41, SYS_connect = 42, SYS_sendto = 44, SYS_recvfrom = 45,
  SYS_getsockopt = 55, SYS_clone = 56, SYS_execve = 59, SYS_wait4 = 61, SYS_kill = 62, SYS_uname = 63, SYS_setpgid = 109, SYS_prctl = 157,
  SYS_clock_gettime = 228, SYS_exit_group = 231, SYS_openat = 257, SYS_faccessat = 269, SYS_ppoll = 271, SYS_dup3 = 292, SYS_rt_sigtimedwait = 128,
};
enum { O_NOFOLLOW = 0400000 };
__asm__(".globl _start\n_start: xorl %ebp, %ebp\n movq %rsp, %rdi\n andq $-16, %rsp\n call start\n hlt\n");

static i64 call6(i64 number, i64 a, i64 b, i64 c, i64 d, i64 e, i64 f) {
  register i64 r10 __asm__("r10") = d;
  register i64 r8 __asm__("r8") = e;
  register i64 r9 __asm__("r9") = f;
  i64 result;
  __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9) : "rcx", "r11", "memory");
  return result;
}
#elif defined(__aarch64__)
enum {
  SYS_dup3 = 24, SYS_faccessat = 48, SYS_openat = 56, SYS_close = 57, SYS_read = 63, SYS_write = 64, SYS_pread64 = 67, SYS_pwrite64 = 68, SYS_ppoll = 73, SYS_exit_group = 94,
  SYS_clock_gettime = 113, SYS_kill = 129, SYS_rt_sigprocmask = 135, SYS_rt_sigtimedwait = 137, SYS_setpgid = 154, SYS_uname = 160, SYS_prctl = 167,
  SYS_socket = 198, SYS_connect = 203, SYS_sendto = 206, SYS_recvfrom = 207, SYS_getsockopt = 209, SYS_clone = 220, SYS_execve = 221, SYS_mmap = 222, SYS_wait4 = 260,
};
enum { O_NOFOLLOW = 0100000 };
__asm__(".globl _start\n_start: mov x29, #0\n mov x30, #0\n mov x0, sp\n and sp, x0, #-16\n bl start\n brk #1\n");

static i64 call6(i64 number, i64 a, i64 b, i64 c, i64 d, i64 e, i64 f) {
  register i64 x8 __asm__("x8") = number;
  register i64 x0 __asm__("x0") = a;
  register i64 x1 __asm__("x1") = b;
  register i64 x2 __asm__("x2") = c;
  register i64 x3 __asm__("x3") = d;
  register i64 x4 __asm__("x4") = e;
  register i64 x5 __asm__("x5") = f;
  __asm__ volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
  return x0;
}
#else
#error "These programs are for x86_64 and aarch64."
#endif

#define syscall1(n, a) call6(n, (i64)(a), 0, 0, 0, 0, 0)
#define syscall2(n, a, b) call6(n, (i64)(a), (i64)(b), 0, 0, 0, 0)
#define syscall3(n, a, b, c) call6(n, (i64)(a), (i64)(b), (i64)(c), 0, 0, 0)
#define syscall4(n, a, b, c, d) call6(n, (i64)(a), (i64)(b), (i64)(c), (i64)(d), 0, 0)
#define syscall6(n, a, b, c, d, e, f) call6(n, (i64)(a), (i64)(b), (i64)(c), (i64)(d), (i64)(e), (i64)(f))

enum { EINTR = 4, ENOENT = 2, E2BIG = 7, ENOEXEC = 8, ECHILD = 10, EAGAIN = 11, ENOMEM = 12, EACCES = 13, ENOTDIR = 20, EPIPE = 32, ECONNRESET = 104, ECONNREFUSED = 111, EINPROGRESS = 115 };
enum { AT_FDCWD = -100, O_RDONLY = 0, O_WRONLY = 1, O_RDWR = 2, O_CREAT = 0100, O_EXCL = 0200, O_NONBLOCK = 04000, O_CLOEXEC = 02000000 };

struct timespec { i64 seconds, nanoseconds; };

/** What main is elsewhere. Returns the exit code. */
static int run(int count, char **arguments, char **environment);

__attribute__((noreturn)) static void quit(int code) {
  for (;;) syscall1(SYS_exit_group, code);
}

/** The kernel leaves the number of arguments, the arguments and the environment on the stack. */
__attribute__((noreturn, used)) void start(i64 *stack) {
  int count = (int)stack[0];
  char **arguments = (char **)(stack + 1);
  quit(run(count, arguments, arguments + count + 1));
}

/* The compiler may call these two, whatever the source says. */
__attribute__((used)) void *memcpy(void *to, const void *from, u64 length) {
  for (u64 i = 0; i < length; i++) ((byte *)to)[i] = ((const byte *)from)[i];
  return to;
}

__attribute__((used)) void *memset(void *to, int value, u64 length) {
  for (u64 i = 0; i < length; i++) ((byte *)to)[i] = (byte)value;
  return to;
}
