/* The method Check of grpc.health.v1.Health over HTTP/2 without TLS. The status SERVING passes. */
#pragma once
#include "network.h"

enum { FRAME_DATA = 0, FRAME_HEADERS = 1, FRAME_RESET = 3, FRAME_SETTINGS = 4, FRAME_PING = 6, FRAME_GO_AWAY = 7 };
enum { END_STREAM = 1, ACKNOWLEDGEMENT = 1, END_HEADERS = 4, PADDED = 8 };
enum { LARGEST_FRAME = 16384, LONGEST_SERVICE = 1000 };

struct frame {
  u32 length, stream;
  byte kind, flags;
  byte payload[LARGEST_FRAME];
};

static int send_frame(struct connection *to, byte kind, byte flags, byte stream, const void *payload, u64 length) {
  byte head[9] = { 0, (byte)(length >> 8), (byte)length, kind, flags, 0, 0, 0, stream };
  return send_all(to, head, sizeof head) && send_all(to, payload, length);
}

static int receive_all(struct connection *to, void *into, u64 length) {
  for (u64 at = 0, got; at < length; at += got)
    if (!(got = receive(to, (byte *)into + at, length - at))) return 0;
  return 1;
}

/** Receives a frame. Returns whether there was one. */
static int receive_frame(struct connection *to, struct frame *frame) {
  byte head[9];
  if (!receive_all(to, head, sizeof head)) return 0;
  frame->length = (u32)head[0] << 16 | (u32)head[1] << 8 | head[2];
  frame->kind = head[3];
  frame->flags = head[4];
  frame->stream = (u32)head[5] << 24 | (u32)head[6] << 16 | (u32)head[7] << 8 | head[8];
  if (frame->length <= LARGEST_FRAME) return receive_all(to, frame->payload, frame->length);
  add(to->why, "the answer is not HTTP/2 without TLS");
  return 0;
}

/** The request: what opens a connection, the headers, and a message with the name of the service. */
static int ask_health(struct connection *to, const char *service) {
  static const char preface[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
  /* Indexes of the static table of HPACK, and literals that are not to be indexed: :method POST, :scheme http, :path, :authority, content-type, te. */
  static const char headers[] = "\x83\x86\x04\x1c/grpc.health.v1.Health/Check\x01\x09localhost\x0f\x10\x10" "application/grpc\x00\x02te\x08trailers";
  u64 length = length_of(service);
  if (length > LONGEST_SERVICE) {
    add(to->why, "the name of the service is too long");
    return 0;
  }
  /* Field 1 with its length in two bytes, which may be one more than it takes; before it the length of the message. */
  byte message[5 + 3 + LONGEST_SERVICE] = { 0, 0, 0, (byte)((length + 3) >> 8), (byte)(length + 3), 0x0a, (byte)(length | 0x80), (byte)(length >> 7) };
  memcpy(message + 8, service, length);
  return send_all(to, preface, sizeof preface - 1) && send_frame(to, FRAME_SETTINGS, 0, 0, "", 0) && send_frame(to, FRAME_HEADERS, END_HEADERS, 1, headers, sizeof headers - 1)
    && send_frame(to, FRAME_DATA, END_STREAM, 1, message, 8 + length);
}

/** Whether a message says SERVING. Anything else is said in words. */
static int serves(struct connection *to, const byte *message, u64 length) {
  static const char *const names[] = { "UNKNOWN", "SERVING", "NOT_SERVING", "SERVICE_UNKNOWN" };
  byte status = length >= 2 && message[0] == 8 ? message[1] : 0;
  if (status == 1) return 1;
  add(to->why, "status ");
  if (status < 4) add(to->why, names[status]);
  else add_number(to->why, status);
  return 0;
}

static int answers_grpc(struct connection *to, const char *service) {
  static struct frame frame;
  byte message[64];
  u64 length = 0;
  int is_first = 1;
  if (!ask_health(to, service)) return 0;
  for (;; is_first = 0) {
    if (!receive_frame(to, &frame)) return 0;
    if (is_first && frame.kind != FRAME_SETTINGS) {
      add(to->why, "the answer is not HTTP/2 without TLS");
      return 0;
    }
    int asks = frame.kind == FRAME_SETTINGS || frame.kind == FRAME_PING;
    if (asks && !(frame.flags & ACKNOWLEDGEMENT) && !send_frame(to, frame.kind, ACKNOWLEDGEMENT, 0, frame.payload, frame.kind == FRAME_PING ? frame.length : 0)) return 0;
    if (frame.kind == FRAME_GO_AWAY || frame.kind == FRAME_RESET) {
      add(to->why, "the server refused the call");
      return 0;
    }
    if (frame.kind == FRAME_DATA) {
      int is_padded = frame.flags & PADDED && frame.length > frame.payload[0];
      u32 end = is_padded ? frame.length - frame.payload[0] : frame.length;
      for (u32 i = is_padded ? 1 : 0; i < end && length < sizeof message; i++) message[length++] = frame.payload[i];
      /* A message is preceded by a byte that says whether it is compressed, and by its length. */
      if (length >= 5 && length >= (u64)5 + message[4]) return serves(to, message + 5, message[4]);
    }
    if ((frame.kind == FRAME_DATA || frame.kind == FRAME_HEADERS) && frame.flags & END_STREAM) {
      add(to->why, "the server answered without a health status: it may not know the service, or not have grpc.health.v1");
      return 0;
    }
  }
}
