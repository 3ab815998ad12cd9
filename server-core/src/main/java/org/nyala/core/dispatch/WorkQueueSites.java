package org.nyala.core.dispatch;

import java.util.ArrayList;
import java.util.List;
import org.nyala.core.contention.Contention;
import org.nyala.core.contention.LockSite;
import org.nyala.core.contention.Site;
import org.nyala.core.contention.WaitSite;

/** The sites of a place, under its name. Confined to whoever makes and stops the place. */
final class WorkQueueSites implements AutoCloseable {
  private final Contention contention;
  private final String place;
  private final List<Site> made = new ArrayList<>();

  /**
   * Creates no site yet.
   *
   * @param place what a report calls the place
   */
  WorkQueueSites(Contention contention, String place) {
    this.contention = contention;
    this.place = place;
  }

  /** Beside the queue: from a task's arrival to its slice; who runs tasks sleeps and is woken. */
  WaitSite queue() {
    return keep(contention.waits(place + ": queue"));
  }

  /** Beside the permits: tasks that wait for one, whose connections are not read meanwhile. */
  WaitSite permits() {
    return keep(contention.waits(place + ": permits"));
  }

  /** Beside the shares of owners: tasks that wait for others of their owner, likewise. */
  WaitSite shares() {
    return keep(contention.waits(place + ": shares"));
  }

  /** The lock of the queue. */
  LockSite queueLock() {
    return keep(contention.lock(place + ": queue lock"));
  }

  private <S extends Site> S keep(S site) {
    made.add(site);
    return site;
  }

  @Override
  public void close() {
    made.forEach(Site::close);
  }
}
