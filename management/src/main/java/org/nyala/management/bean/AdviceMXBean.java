package org.nyala.management.bean;

import java.util.List;
import org.nyala.management.bean.FindingsMXBean.Finding;

/**
 * The searches of clients by shape, and what they need. Thread-safe. The figures of shapes are
 * those of one moment, a second ago at most or that of the last {@link #advise}.
 */
@Description(
    "The searches of clients by shape, without any value, and what they need: indexes, limits,"
        + " settings of the system.")
public interface AdviceMXBean {
  /** The name under which the bean is registered. */
  String NAME = "org.nyala:type=Advice";

  /**
   * The properties that searches share which differ in values alone, and their figures.
   *
   * @param number counts the shapes in the order in which they were noticed, from 1
   * @param scope base, one, sub or children
   * @param baseDepth the number of RDNs of the base
   * @param filter the filter, with {@code ?} for each value and each unknown name
   * @param attributes the requested attributes
   * @param count the number of searches
   * @param micros the time in which they were carried out, without waits
   * @param longestMicros the longest time of one
   * @param read the entries that were examined
   * @param returned the entries that were sent
   * @param scans the searches for which no index has chosen entries
   * @param whole the searches that have returned a large part of all entries
   * @param sizeLimits the searches that limits.sizeLimit, or its like in access rules, has ended
   * @param timeLimits the searches that limits.timeLimitSeconds, or its like, has ended
   * @param lookThroughs the searches that limits.lookThroughLimit, or its like, has ended
   * @param ageSeconds the time since the first one
   * @param idleSeconds the time since the last one
   */
  record Shape(
      int number,
      String scope,
      int baseDepth,
      String filter,
      String attributes,
      long count,
      long micros,
      long longestMicros,
      long read,
      long returned,
      long scans,
      long whole,
      long sizeLimits,
      long timeLimits,
      long lookThroughs,
      long ageSeconds,
      long idleSeconds) {}

  /**
   * A client that sends searches of a shape.
   *
   * @param name its DN; empty without a bind
   * @param address its address
   * @param percent its share of the time of the shape, about
   */
  record Client(String name, String address, int percent) {}

  /**
   * The uses of an index.
   *
   * @param index attribute and kind
   * @param count the look-ups since the server was started
   * @param idleSeconds the time since the last one, up to some seconds; -1 if there was none
   */
  record IndexUse(String index, long count, long idleSeconds) {}

  /**
   * A part of the filter of a shape.
   *
   * @param depth the number of filters that contain it
   * @param text the text of the part; the operator alone if it has parts
   * @param present the indexes that answer it
   * @param missing the indexes that would answer it, and are not there
   * @param entriesPerValue the entries that one value leaves by these indexes, on average, from
   *     some entries all over the store; -1 if it is not known
   */
  record Part(
      int depth, String text, List<String> present, List<String> missing, long entriesPerValue) {}

  /** Returns the most shapes that the table has rows for; 0 if none are counted. */
  @Description("The most shapes that are counted at once (management.searchShapes).")
  int getRoom();

  /** Returns the time since the table was empty. */
  @Description("The time in seconds since the server was started or the table was reset.")
  long getObservedSeconds();

  /** Returns the number of searches whose shapes have no row. */
  @Description("Searches whose shapes found no place in the table, or have lost it.")
  long getDroppedSearches();

  /** Returns the time of the searches whose shapes have no row. */
  @Description("The time of those searches, in microseconds.")
  long getDroppedMicros();

  /** Returns the shapes, without their clients. */
  @Description("The shapes, that of the greatest total time first, without their clients.")
  List<Shape> getShapes();

  /** Returns the uses of all indexes. */
  @Description("The uses of each index since the server was started.")
  List<IndexUse> getIndexUses();

  /**
   * Returns the clients that take most of the time of a shape, four at most.
   *
   * @throws IllegalArgumentException if there is no such shape
   */
  @Description("The clients that take most of the time of a shape, four at most.")
  List<Client> clients(@Description("The number of the shape.") int shape);

  /**
   * Returns the parts of the filter of a shape, with the indexes that answer them.
   *
   * @throws IllegalArgumentException if there is no such shape
   */
  @Description("The parts of the filter of a shape, with the indexes that answer them.")
  List<Part> explain(@Description("The number of the shape.") int shape);

  /** Returns what the traffic needs. */
  @Description(
      "What the traffic needs, with the commands: indexes that would save time and unused ones,"
          + " clients that read everything, limits that were met, settings of the system.")
  List<Finding> advise();

  /** Begins to count from nothing. */
  @Description("Forgets all shapes, and begins to count from nothing; uses of indexes stay.")
  void reset();
}
