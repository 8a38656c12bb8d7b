/*
 * A path between two network namespaces with a rate, a queue, a delay and random loss, for kernels without netem.
 *
 *     path NETNS1 NETNS2 RATE_BPS QUEUE_MS DELAY_MS LOSS SEED
 *
 * Makes a TUN device `path0` in each namespace and carries IP packets between them: each direction sends at RATE_BPS (0: no limit), drops what would
 * wait longer than QUEUE_MS, delays by DELAY_MS, and loses a part LOSS of the packets before they queue. Prints `listening` when it is ready, and counts on SIGTERM.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

enum { SLOTS = 32768, SLOT_BYTES = 2048 };

struct packet {
  int64_t due_ns;
  int bytes;
  unsigned char data[SLOT_BYTES];
};

struct direction {
  int from, to;
  struct packet *ring;
  uint32_t head, tail;
  int64_t free_ns;
  uint64_t carried, lost, dropped;
};

static double rate_bps, loss;
static int64_t queue_ns, delay_ns;
static uint64_t state;
static volatile sig_atomic_t over;

static void stop(int signal) {
  (void)signal;
  over = 1;
}

static void fail(const char *what) {
  perror(what);
  exit(1);
}

static int64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

/* xorshift64*: Vigna, https://doi.org/10.1145/2845077 */
static double chance(void) {
  state ^= state >> 12;
  state ^= state << 25;
  state ^= state >> 27;
  return (double)((state * 0x2545F4914F6CDD1DULL) >> 11) / 9007199254740992.0;
}

static int open_tun(const char *netns) {
  char path[256];
  struct ifreq request = {0};
  snprintf(path, sizeof path, "/run/netns/%s", netns);
  int space = open(path, O_RDONLY);
  if (space < 0 || setns(space, CLONE_NEWNET) < 0) fail(path);
  close(space);
  int tun = open("/dev/net/tun", O_RDWR | O_NONBLOCK);
  if (tun < 0) fail("/dev/net/tun");
  request.ifr_flags = IFF_TUN | IFF_NO_PI;
  strcpy(request.ifr_name, "path0");
  if (ioctl(tun, TUNSETIFF, &request) < 0) fail("TUNSETIFF");
  return tun;
}

static void take(struct direction *d) {
  for (;;) {
    struct packet *slot = &d->ring[d->head % SLOTS];
    int is_full = d->head - d->tail == SLOTS;
    static unsigned char spare[SLOT_BYTES];
    ssize_t bytes = read(d->from, is_full ? spare : slot->data, SLOT_BYTES);
    if (bytes <= 0) return;
    int64_t at = now_ns();
    if (loss > 0 && chance() < loss) {
      d->lost++;
      continue;
    }
    int64_t start = d->free_ns > at ? d->free_ns : at;
    if (is_full || (rate_bps > 0 && start - at > queue_ns)) {
      d->dropped++;
      continue;
    }
    if (rate_bps > 0) d->free_ns = start + (int64_t)((double)bytes * 8e9 / rate_bps);
    slot->bytes = (int)bytes;
    slot->due_ns = (rate_bps > 0 ? d->free_ns : at) + delay_ns;
    d->head++;
  }
}

static int64_t give(struct direction *d) {
  while (d->tail != d->head) {
    struct packet *slot = &d->ring[d->tail % SLOTS];
    if (slot->due_ns > now_ns()) return slot->due_ns;
    if (write(d->to, slot->data, slot->bytes) < 0 && errno == EAGAIN) return now_ns() + 50000;
    d->carried++;
    d->tail++;
  }
  return INT64_MAX;
}

int main(int count, char **args) {
  if (count != 8) {
    fprintf(stderr, "usage: path NETNS1 NETNS2 RATE_BPS QUEUE_MS DELAY_MS LOSS SEED\n");
    return 2;
  }
  rate_bps = atof(args[3]);
  queue_ns = (int64_t)(atof(args[4]) * 1e6);
  delay_ns = (int64_t)(atof(args[5]) * 1e6);
  loss = atof(args[6]);
  state = strtoull(args[7], NULL, 10) * 2 + 1;
  signal(SIGTERM, stop);
  signal(SIGINT, stop);
  prctl(PR_SET_TIMERSLACK, 1);
  int tun1 = open_tun(args[1]), tun2 = open_tun(args[2]);
  struct direction ways[2] = {{.from = tun1, .to = tun2}, {.from = tun2, .to = tun1}};
  for (int at = 0; at < 2; at++) {
    ways[at].ring = calloc(SLOTS, sizeof(struct packet));
    if (ways[at].ring == NULL) fail("calloc");
  }
  printf("listening\n");
  fflush(stdout);
  while (!over) {
    int64_t next = INT64_MAX;
    for (int at = 0; at < 2; at++) {
      take(&ways[at]);
      int64_t due = give(&ways[at]);
      if (due < next) next = due;
    }
    int64_t wait = next == INT64_MAX ? 100000000 : next - now_ns();
    if (wait < 0) wait = 0;
    struct timespec t = {wait / 1000000000, wait % 1000000000};
    struct pollfd files[2] = {{.fd = tun1, .events = POLLIN}, {.fd = tun2, .events = POLLIN}};
    ppoll(files, 2, &t, NULL);
  }
  for (int at = 0; at < 2; at++) {
    printf("%s: %llu carried, %llu lost, %llu dropped\n", at == 0 ? "1 to 2" : "2 to 1", (unsigned long long)ways[at].carried,
           (unsigned long long)ways[at].lost, (unsigned long long)ways[at].dropped);
  }
  return 0;
}
