// Tested by test/loopback/udp-datapath.test.ts

/**
 * Numbers of Linux on the 64-bit processors that the datapath runs on, from its headers for programs (include/uapi/linux: socket.h, in.h, in6.h, udp.h, and
 * asm-generic/socket.h).
 */
export const Linux = {
  AF_INET: 2,
  AF_INET6: 10,
  SOCK_DGRAM: 2,
  SOCK_NONBLOCK: 0o4000,
  SOCK_CLOEXEC: 0o2000000,
  SOL_SOCKET: 1,
  SO_SNDBUF: 7,
  SO_RCVBUF: 8,
  /** Its control messages hold a `struct timespec`. */
  SO_TIMESTAMPNS: 35,
  SOL_IP: 0,
  IP_TOS: 1,
  IP_RECVTOS: 13,
  IP_MTU_DISCOVER: 10,
  /** Of IP_MTU_DISCOVER and IPV6_MTU_DISCOVER: never in fragments, ip(7). */
  PMTUDISC_DO: 2,
  /** The kernel cuts what does not fit. */
  PMTUDISC_DONT: 0,
  /** The MTU of the path of a connected socket. */
  IP_MTU: 14,
  SOL_IPV6: 41,
  IPV6_RECVTCLASS: 66,
  IPV6_TCLASS: 67,
  IPV6_MTU_DISCOVER: 23,
  SOL_UDP: 17,
  UDP_SEGMENT: 103,
  UDP_GRO: 104,
  MSG_DONTWAIT: 0x40,
  CLOCK_REALTIME: 0,
} as const;

/** Bytes of the structures that system calls take, and where their fields are; all of them little-endian, pointers of 8 bytes. recvmmsg(2), cmsg(3) */
export const MessageLayout = {
  bytes: 64,
  name: 0,
  nameBytes: 8,
  vector: 16,
  vectorCount: 24,
  control: 32,
  controlBytes: 40,
  flags: 48,
  /** Of `struct mmsghdr`: what was received or sent. */
  transferred: 56,
} as const;

/** `struct iovec`. */
export const VECTOR_BYTES = 16;
/** `struct cmsghdr`: length, level, type. */
export const CONTROL_HEADER_BYTES = 16;
/** Room that one control message of up to 8 bytes takes. */
export const CONTROL_SPACE_BYTES = 24;
/** And one with a `struct timespec`. */
export const STAMP_SPACE_BYTES = 32;
/** `struct sockaddr_in` and `struct sockaddr_in6`. */
export const SOCKADDR_BYTES = { 4: 16, 6: 28 } as const;
/** Room for either, in whole words of 8 bytes. */
export const SOCKADDR_ROOM_BYTES = 32;
