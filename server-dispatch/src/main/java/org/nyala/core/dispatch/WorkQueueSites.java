package org.nyala.core.dispatch;

import java.util.ArrayList;
import java.util.List;
import org.nyala.core.contention.Contention;
import org.nyala.core.contention.LockSite;
import org.nyala.core.contention.Site;
import org.nyala.core.contention.WaitSite;

/** The sites of a place, under its name. Confined to the owner of the place. */
final class WorkQueueSites implements AutoCloseable {
  private final Contention contention;
  private final String place;
  private final List<Site> made = new ArrayList<>();

  /**
   * Creates no site yet.
   *
   * @param place the name of the place in reports
   */
  WorkQueueSites(Contention contention, String place) {
    this.contention = contention;
    this.place = place;
  }

  /**
   * Returns a site beside the queue: from a task's arrival to its slice, and the sleeping and
   * waking of the threads that run tasks.
   */
  WaitSite queue() {
    return keep(contention.waits(place + ": queue"));
  }

  /**
   * Returns a site beside the permits: tasks that wait for one, whose connections are not read
   * meanwhile.
   */
  WaitSite permits() {
    return keep(contention.waits(place + ": permits"));
  }

  /** Beside the shares of owners: tasks that wait for others of their owner, likewise. */
  WaitSite shares() {
    return keep(contention.waits(place + ": shares"));
  }

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
