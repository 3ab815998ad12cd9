package org.nyala.core.traffic;

import java.util.List;

/**
 * The figures of the searches of one shape since it was noticed.
 *
 * <p>Immutable.
 *
 * @param number counts the shapes in the order in which they were noticed, from 1
 * @param shape the shape
 * @param count the number of searches
 * @param nanos the time in which they were carried out, without waits
 * @param longestNanos the longest time of one
 * @param read the entries that were examined
 * @param returned the entries that were sent
 * @param scans the searches for which no index has chosen entries
 * @param whole the searches that have returned a large part of all entries
 * @param sizeLimits the searches that the server's limit on entries has ended
 * @param timeLimits the searches that the server's time limit has ended
 * @param lookThroughs the searches that would have looked at more entries than they may
 * @param ageNanos the time since the first one
 * @param idleNanos the time since the last one
 * @param clients those that take most of the time
 */
public record ShapeFigures(
    int number,
    SearchShape shape,
    long count,
    long nanos,
    long longestNanos,
    long read,
    long returned,
    long scans,
    long whole,
    long sizeLimits,
    long timeLimits,
    long lookThroughs,
    long ageNanos,
    long idleNanos,
    List<Client> clients) {
  /**
   * A client.
   *
   * @param name its DN; empty without a bind
   * @param address its address
   * @param percent its share of the time of the shape, about
   */
  public record Client(String name, String address, int percent) {}

  public ShapeFigures {
    clients = List.copyOf(clients);
  }
}
