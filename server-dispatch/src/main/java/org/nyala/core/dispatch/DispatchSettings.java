package org.nyala.core.dispatch;

import java.util.Locale;
import java.util.concurrent.ThreadFactory;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import org.nyala.core.contention.Contention;

/**
 * The settings from which dispatch strategies are built. Each strategy uses those that apply to it.
 *
 * <p>Immutable.
 *
 * @param workers threads that run operations off the event loops; 0 is one per processor
 * @param queues queues between event loops and workers, for strategies that have several; 0 is one
 *     per worker if each has its own, else {@value #AUTOMATIC_QUEUES} or one per {@value
 *     #AUTOMATIC_WORKERS_PER_QUEUE} workers, whichever is more
 * @param permits operations that may run or queue off the event loops at once, over all workers,
 *     and as many again on threads for the disk; connections beyond it are not read; 0 is {@value
 *     #AUTOMATIC_PERMITS_PER_WORKER} per worker, for threads for the disk at least two for each,
 *     and for load-conditioned strategies one per worker and the laziness
 * @param laziness permits of a place that should be free before waiting connections are read again,
 *     at least 0, which is the same as 1; fewer are enough if a worker would be idle
 * @param hashThreads threads for slow password hashes; 0 is half the processors, at least 1
 * @param diskThreads threads for operations that wait for the disk, if a strategy distinguishes
 *     those; 0 is {@value #AUTOMATIC_DISK_THREADS}, or two for each processor if that is more
 * @param ownerSharePercent the share of a place's permits that one owner of tasks may have, 1 to
 *     100 percent, so that others find some; 100 is no bound
 * @param threads the factory of worker threads
 * @param diskWaiters the factory of threads that wait for the disk
 * @param hashers the factory of threads for slow password hashes
 * @param nanoClock the clock, in nanoseconds
 * @param contention the factory of the sites of locks and queues
 */
public record DispatchSettings(
    int workers,
    int queues,
    int permits,
    int laziness,
    int hashThreads,
    int diskThreads,
    int ownerSharePercent,
    ThreadFactory threads,
    ThreadFactory diskWaiters,
    ThreadFactory hashers,
    LongSupplier nanoClock,
    Contention contention) {
  public static final int DEFAULT_LAZINESS = 4;

  /**
   * A disk carries out many reads at once, and each takes a thread that does nothing else
   * meanwhile. This is slapd's default number of threads for all work (slapd.conf(5)).
   */
  static final int AUTOMATIC_DISK_THREADS = 16;

  /** Tasks that leave the event loops must not wait on fewer threads than there. */
  private static final int DISK_THREADS_PER_PROCESSOR = 2;

  /** The default: half for the greediest owner, half for all others. */
  public static final int DEFAULT_OWNER_SHARE_PERCENT = 50;

  /** All there is, in percent. */
  static final int WHOLE_PERCENT = 100;

  /** Enough to keep a worker busy between two wake-ups, a few milliseconds of work at most. */
  static final int AUTOMATIC_PERMITS_PER_WORKER = 128;

  /** With one queue, several queues would be a shared one. */
  static final int AUTOMATIC_QUEUES = 2;

  /** The number of workers that slapd.conf(5) recommends for one queue. */
  static final int AUTOMATIC_WORKERS_PER_QUEUE = 8;

  /** Rejects settings that cannot work. */
  public DispatchSettings {
    if (IntStream.of(workers, queues, permits, laziness, hashThreads, diskThreads)
        .anyMatch(number -> number < 0)) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "workers %d, queues %d, permits %d, laziness %d, hash threads %d, disk threads %d",
              workers,
              queues,
              permits,
              laziness,
              hashThreads,
              diskThreads));
    }
    if (ownerSharePercent < 1 || ownerSharePercent > WHOLE_PERCENT) {
      throw new IllegalArgumentException("owner share " + ownerSharePercent + " percent");
    }
  }

  /** Settings with the usual share for each owner. */
  public DispatchSettings(
      int workers,
      int queues,
      int permits,
      int laziness,
      int hashThreads,
      ThreadFactory threads,
      LongSupplier nanoClock) {
    this(
        workers,
        queues,
        permits,
        laziness,
        hashThreads,
        DEFAULT_OWNER_SHARE_PERCENT,
        threads,
        nanoClock);
  }

  /** Creates settings for a strategy that is not measured. */
  public DispatchSettings(
      int workers,
      int queues,
      int permits,
      int laziness,
      int hashThreads,
      int ownerSharePercent,
      ThreadFactory threads,
      LongSupplier nanoClock) {
    this(
        workers,
        queues,
        permits,
        laziness,
        hashThreads,
        0,
        ownerSharePercent,
        threads,
        threads,
        threads,
        nanoClock,
        Contention.UNMEASURED);
  }

  /** Everything automatic. */
  public static DispatchSettings automatic(ThreadFactory threads, LongSupplier nanoClock) {
    return new DispatchSettings(0, 0, 0, DEFAULT_LAZINESS, 0, threads, nanoClock);
  }

  WorkQueueSites sites(String place) {
    return new WorkQueueSites(contention, place);
  }

  /** Returns the number of workers on this machine; 0 is one for each processor. */
  public static int workerThreads(int workers) {
    return workers > 0 ? workers : Runtime.getRuntime().availableProcessors();
  }

  int workerThreads() {
    return workerThreads(workers);
  }

  /** Returns the number of threads for the disk on this machine; 0 is automatic. */
  public static int diskThreads(int diskThreads) {
    return diskThreads > 0
        ? diskThreads
        : Math.max(
            AUTOMATIC_DISK_THREADS,
            DISK_THREADS_PER_PROCESSOR * Runtime.getRuntime().availableProcessors());
  }

  int diskThreadCount() {
    return diskThreads(diskThreads);
  }

  /** Returns the number of threads with a queue of their own. */
  int stripeCount() {
    return queues > 0 ? queues : workerThreads();
  }

  /** Returns the number of queues that workers share, at least one worker each. */
  int queueCount() {
    int wanted =
        queues > 0
            ? queues
            : Math.max(AUTOMATIC_QUEUES, workerThreads() / AUTOMATIC_WORKERS_PER_QUEUE);
    return Math.min(wanted, workerThreads());
  }

  /**
   * Returns the number of hash threads on this machine, at most all processors but one, which is
   * left to everything else; 0 is automatic.
   */
  public static int hashThreads(int hashThreads) {
    int processors = Runtime.getRuntime().availableProcessors();
    int wanted = hashThreads > 0 ? hashThreads : processors / 2;
    return Math.clamp(wanted, 1, Math.max(1, processors - 1));
  }

  int hashThreadCount() {
    return hashThreads(hashThreads);
  }

  /** Each stripe's share of the permits, at least 1. */
  int permitsPerStripe() {
    return permits > 0 ? Math.max(1, permits / stripeCount()) : AUTOMATIC_PERMITS_PER_WORKER;
  }

  /**
   * Returns the throttle of a place with the given number of permits. A few owners of long tasks
   * can hold all of them for seconds, so as many other owners may have one task each there beyond
   * the permits.
   */
  Throttle throttle(int permitsOfPlace) {
    return new Throttle(permitsOfPlace, laziness, ownerSharePercent, permitsOfPlace);
  }

  /** The permits if one work queue is shared by all. */
  int permitsInAll() {
    return permits > 0 ? permits : AUTOMATIC_PERMITS_PER_WORKER * workerThreads();
  }

  /** The permits of the threads for the disk: none of them is to be idle because of the default. */
  int permitsOfDiskPool() {
    return permits > 0 ? permits : Math.max(permitsInAll(), 2 * diskThreadCount());
  }

  /**
   * Returns as few permits as keep every worker busy, with just enough in addition that a wake-up
   * comes in time.
   */
  int conditionedPermits() {
    return permits > 0 ? permits : workerThreads() + laziness;
  }
}
