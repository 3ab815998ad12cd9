package org.nyala.loadtest.workload;

import java.util.List;

/**
 * The order in which the clients of several jobs connect: those of each job spread evenly among
 * those of the others. A server may assign event loops to connections in the order of arrival, and
 * would otherwise keep the few clients that came last on a loop of their own, away from the clients
 * that they are to disturb. Stateless.
 */
public final class OpeningOrder {
  private OpeningOrder() {}

  /**
   * Orders clients.
   *
   * @param clients the number of clients of each job, at least 0
   * @return a job for each client, by its place in the list; of one job the clients come in order
   */
  public static int[] of(List<Integer> clients) {
    int[] order = new int[clients.stream().mapToInt(Integer::intValue).sum()];
    int[] opened = new int[clients.size()];
    for (int i = 0; i < order.length; i++) {
      order[i] = furthestBehind(clients, opened);
      opened[order[i]]++;
    }
    return order;
  }

  /** The job whose next client is due first: the middle one of one client, of two the quarters. */
  private static int furthestBehind(List<Integer> clients, int[] opened) {
    int furthest = 0;
    double due = Double.POSITIVE_INFINITY;
    for (int job = 0; job < opened.length; job++) {
      double next = (opened[job] + 0.5) / clients.get(job);
      if (opened[job] < clients.get(job) && next < due) {
        furthest = job;
        due = next;
      }
    }
    return furthest;
  }
}
