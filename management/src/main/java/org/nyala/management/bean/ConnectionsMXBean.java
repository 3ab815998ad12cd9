package org.nyala.management.bean;

import java.util.List;

/** The connections of clients. Thread-safe. */
@Description("The connections of clients.")
public interface ConnectionsMXBean {
  /** The name under which the bean is registered. */
  String NAME = "org.nyala:type=Connections";

  /** The maximum number of connections that {@link #list} returns. */
  int MAXIMUM_LISTED = 10_000;

  /**
   * A connection at about the time of the call.
   *
   * @param number the connection's number
   * @param peer the client's address and port
   * @param local the local address and port
   * @param identity the DN that it has bound as; empty if anonymous
   * @param received requests that were executed or are being executed
   * @param executing operations that have begun and not ended
   * @param pending requests that wait to be executed
   * @param completed operations that have ended
   * @param ageSeconds since it was accepted
   * @param idleSeconds since its last request
   * @param isReading whether the server reads from it
   * @param isWritable whether its client reads its answers
   */
  record Connection(
      int number,
      String peer,
      String local,
      String identity,
      long received,
      int executing,
      int pending,
      long completed,
      long ageSeconds,
      long idleSeconds,
      boolean isReading,
      boolean isWritable) {}

  /**
   * Begins the peak of the memory that clients make the server hold anew.
   *
   * @return the peak until now
   */
  @Description("Resets MostHeldBytes; returns it.")
  long resetMostHeldBytes();

  /**
   * Returns open connections by number.
   *
   * @param most the maximum number, 1 to {@value #MAXIMUM_LISTED}
   * @throws IllegalArgumentException if that is out of bounds
   */
  @Description("Connections that are open, by number, the oldest first.")
  List<Connection> list(@Description("The maximum number, 1 to 10000.") int most);

  /**
   * Ends a connection with a notice of disconnection; its operations end without an answer.
   *
   * @return false if there is none of that number
   */
  @Description(
      "Ends a connection with a notice; its operations end without an answer. "
          + "Returns false if there is no such connection.")
  boolean disconnect(@Description("The number of the connection.") int number);
}
