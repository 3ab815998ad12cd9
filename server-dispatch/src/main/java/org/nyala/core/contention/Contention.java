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
  /** An instance that is never measured: it does not keep its sites. */
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

  /** Creates a lock, to be closed when it is no longer needed. */
  public LockSite lock(String name) {
    LockSite site = new LockSite(this, name);
    add(site);
    return site;
  }

  /** Creates a site beside a queue, to be closed when it is no longer needed. */
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
   * @return false if one runs already, or if there is nothing to measure
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

  /** Returns the counts since the measurement began. */
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

  /** Ends the measurement and returns its counts. */
  public synchronized Counts stop() {
    measuring.set(false);
    Counts counts = read();
    forgetLeaving();
    return counts;
  }

  /** Returns whether a measurement runs. Threads may see the switch a moment late. */
  boolean isMeasuring() {
    return measuring.getOpaque();
  }

  /** Returns whether a measurement runs that had begun by the given time. */
  boolean hasRunSince(long nanos) {
    return isMeasuring() && nanos - begunNanos >= 0;
  }

  /** The clock, in nanoseconds. */
  long nanoTime() {
    return nanoClock.getAsLong();
  }
}
