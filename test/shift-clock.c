/*
 * Shifts the wall clock of a process by CLOCK_SHIFT_SECONDS when it is preloaded (LD_PRELOAD). Monotonic clocks, timers and
 * waits are unchanged, so timeouts keep working, also those that a signal handler checks.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

static int (*real_clock_gettime)(clockid_t, struct timespec *);
static long shift;

__attribute__((constructor)) static void initialize(void) {
  const char *value = getenv("CLOCK_SHIFT_SECONDS");
  real_clock_gettime = dlsym(RTLD_NEXT, "clock_gettime");
  shift = value ? atol(value) : 0;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
  if (!real_clock_gettime) initialize();
  int result = real_clock_gettime(clock, now);
  if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) now->tv_sec += shift;
  return result;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  (void)zone;
  struct timespec precise;
  int result = clock_gettime(CLOCK_REALTIME, &precise);
  now->tv_sec = precise.tv_sec;
  now->tv_usec = precise.tv_nsec / 1000;
  return result;
}

time_t time(time_t *seconds) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (seconds) *seconds = now.tv_sec;
  return now.tv_sec;
}
