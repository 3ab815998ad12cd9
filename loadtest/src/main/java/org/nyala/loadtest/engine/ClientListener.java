package org.nyala.loadtest.engine;

/**
 * The client that a conversation is a part of: hears what becomes of the part, and decides whether
 * the part goes on. Confined to the channel's event loop.
 */
interface ClientListener {
  /** Whether operations are wanted of its parts. */
  boolean runsParts();

  /** Whether a lost connection of a part is still of use. */
  boolean wantsConnection(LoadConnection lost);

  /** Takes notice that all a part needs is open. */
  void partReady();

  /** Takes notice that the operation of a part ended. */
  void partEnded(long nowNanos);

  /** Takes notice that a part sends a request that is no operation of the test. */
  void partStartsBeside();

  /** Ends in the middle of the operation of a part. */
  void partBrokeOff();

  /** Takes notice that a connection of a part is lost. */
  void partLost(SimulatedClient part);
}
