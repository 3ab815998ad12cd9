package org.nyala.core.contention;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;

/**
 * The sites of a server and the switch that makes them count.
 *
 * <p>Thread-safe. Hot: {@link #isMeasuring} is one plain read.
 */
public final class Contention {
  /** Where nobody ever measures: its sites are not kept. */
  public static final Contention UNMEASURED = new Contention(() -> 0, false);

  private final LongSupplier nanoClock;
  private final boolean offered;
  private final AtomicBoolean measuring = new AtomicBoolean();
  private volatile long begunNanos;

  private final List<Site> sites = new ArrayList<>();

  /** Closed, but part of the measurement that runs. */
  private final List<Site> leaving = new ArrayList<>();

  /**
   * Creates a switch that is off.
   *
   * @param nanoClock the clock, in nanoseconds
   */
  public Contention(LongSupplier nanoClock) {
    this(nanoClock, true);
  }

  private Contention(LongSupplier nanoClock, boolean offered) {
    this.nanoClock = nanoClock;
    this.offered = offered;
  }

  /** Makes a lock, to be closed when nobody needs it any more. */
  public LockSite lock(String name) {
    LockSite site = new LockSite(this, name);
    add(site);
    return site;
  }

  /** Makes a site beside a queue, to be closed when nobody needs it any more. */
  public WaitSite waits(String name) {
    WaitSite site = new WaitSite(this, name);
    add(site);
    return site;
  }

  private synchronized void add(Site site) {
    if (offered) {
      sites.add(site);
    }
  }

  synchronized void remove(Site site) {
    if (sites.contains(site) && !leaving.contains(site)) {
      leaving.add(site);
      forgetLeaving();
    }
  }

  private void forgetLeaving() {
    if (!isMeasuring()) {
      sites.removeAll(leaving);
      leaving.clear();
    }
  }

  /**
   * Begins a measurement with all counters at zero.
   *
   * @return false when one runs already, or when there is nothing to measure
   */
  public synchronized boolean start() {
    if (!offered || isMeasuring()) {
      return false;
    }
    sites.forEach(Site::reset);
    begunNanos = nanoTime();
    measuring.set(true);
    return true;
  }

  /** What was counted until now, since the measurement began. */
  public synchronized Counts read() {
    long nanos = nanoTime() - begunNanos;
    List<Counts.Lock> locks = new ArrayList<>();
    List<Counts.Wait> waits = new ArrayList<>();
    for (Site site : sites) {
      switch (site) {
        case LockSite lock -> {
          Counts.Lock counts = lock.read();
          if (counts.acquisitions() > 0) {
            locks.add(counts);
          }
        }
        case WaitSite queue -> {
          Counts.Wait counts = queue.read();
          if (counts.waits() + counts.signals() + counts.sleeps() > 0) {
            waits.add(counts);
          }
        }
      }
    }
    return new Counts(nanos, locks, waits);
  }

  /** Ends the measurement; what it came to. */
  public synchronized Counts stop() {
    measuring.set(false);
    Counts counts = read();
    forgetLeaving();
    return counts;
  }

  /** Whether a measurement runs. Threads may see the switch a moment late. */
  boolean isMeasuring() {
    return measuring.getOpaque();
  }

  /** Whether a measurement runs that had begun by then. */
  boolean hasRunSince(long nanos) {
    return isMeasuring() && nanos - begunNanos >= 0;
  }

  /** The clock, in nanoseconds. */
  long nanoTime() {
    return nanoClock.getAsLong();
  }
}
