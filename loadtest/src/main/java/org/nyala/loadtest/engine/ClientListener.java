package org.nyala.loadtest.engine;

/**
 * The client of which a {@link SimulatedClient} is a part: is notified of the events of the part,
 * and decides whether the part goes on. Confined to the channel's event loop.
 */
interface ClientListener {
  /** Returns whether its parts are to run operations. */
  boolean runsParts();

  /** Returns whether a lost connection of a part is still of use. */
  boolean wantsConnection(LoadConnection lost);

  /** Notifies that all connections of a part are open. */
  void partReady();

  /** Notifies that the operation of a part ended. */
  void partEnded(long nowNanos);

  /** Notifies that a part sends a request that is no operation of the test. */
  void partStartsBeside();

  /** Ends in the middle of the operation of a part. */
  void partBrokeOff();

  /** Notifies that a connection of a part is lost. */
  void partLost(SimulatedClient part);

  /** The number of the operation under way in its test. */
  long operation();
}
