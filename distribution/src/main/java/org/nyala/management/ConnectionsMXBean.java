package org.nyala.management;

import java.util.List;

/** The connections of clients. Thread-safe. */
@Description("The connections of clients.")
public interface ConnectionsMXBean {
  /** The name under which the bean is registered. */
  String NAME = "org.nyala:type=Connections";

  /** The most that {@link #list} returns. */
  int MAXIMUM_LISTED = 10_000;

  /**
   * A connection, as it was about when it was asked for.
   *
   * @param number the connection's number
   * @param peer the client's address and port
   * @param local the address and port that it has come to
   * @param identity the DN that it has bound as; empty for nobody in particular
   * @param received requests that were carried out or are
   * @param executing operations that have begun and not ended
   * @param pending requests that wait for that
   * @param completed operations that have ended
   * @param ageSeconds since it was accepted
   * @param idleSeconds since its last request
   * @param isReading whether it is read
   * @param isWritable whether its client reads what it asked for
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

  /** Connections that are open. */
  @Description("Connections that are open.")
  long getCurrent();

  /** Connections accepted. */
  @Description("Connections accepted since the server started.")
  long getOpened();

  /** Connections that are gone. */
  @Description("Connections that are gone since the server started.")
  long getClosed();

  /** Bytes read. */
  @Description("Bytes read from clients since the server started.")
  long getBytesReceived();

  /** Bytes written. */
  @Description("Bytes given to the connections of clients since the server started.")
  long getBytesSent();

  /** Clients that do not read. */
  @Description("Connections whose clients do not read what they asked for.")
  long getAwaitingClients();

  /** Clients that did not read. */
  @Description(
      "Connections that were closed because their clients had left answers unread for limits.writeStallTimeoutSeconds.")
  long getStalled();

  /** Connections for which there was no room. */
  @Description(
      "Connections that were not accepted, or ended at once, because there was no room for them:"
          + " limits.connections, or the file descriptors of the process.")
  long getRefused();

  /** Memory that clients make the server hold. */
  @Description(
      "Bytes held for clients: requests that wait, messages that have come in part, answers that nobody has read, searches that stand.")
  long getHeldBytes();

  /** Its bound. */
  @Description("Bytes that may be held for clients, all together (limits.memory).")
  long getHeldBytesBound();

  /** The requests that were refused for want of it. */
  @Description("Requests that had to wait or were refused for want of memory.")
  long getMemoryRefusals();

  /** Connections that were ended for it. */
  @Description("Connections that were ended because they held memory that others needed.")
  long getMemoryDisconnections();

  /**
   * Connections that are open, by number.
   *
   * @param most how many, 1 to {@value #MAXIMUM_LISTED}
   * @throws IllegalArgumentException if that is out of bounds
   */
  @Description("Connections that are open, by number, the oldest first.")
  List<Connection> list(@Description("How many at most, 1 to 10000.") int most);

  /**
   * Ends a connection with a notice of disconnection; what it was doing ends without an answer.
   *
   * @return false when there is none of that number
   */
  @Description(
      "Ends a connection with a notice; what it was doing ends without an answer. False when there is no such connection.")
  boolean disconnect(@Description("The number of the connection.") int number);
}
