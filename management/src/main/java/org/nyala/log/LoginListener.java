package org.nyala.log;

/**
 * A listener for clients of the management ports that come in or are refused. Thread-safe; quick,
 * never blocks, throws nothing.
 */
public interface LoginListener {
  /** A listener that ignores all events. */
  LoginListener NONE = new LoginListener() {};

  /**
   * A client has come in.
   *
   * @param port the kind of the port, {@code http} or {@code jmx}
   * @param user the account, which is one of the configuration
   * @param address the address of the client; any other text if it is not known
   */
  default void cameIn(String port, String user, String address) {}

  /** A client was refused, because of its name or its password. */
  default void refused(String port, String address) {}

  /**
   * A client has asked for an action.
   *
   * @param action one of those that there are
   * @param target what it is about, as the client has sent it
   * @param isDone false if it was refused, or has failed
   */
  default void acted(
      String port, String user, String address, String action, String target, boolean isDone) {}
}
