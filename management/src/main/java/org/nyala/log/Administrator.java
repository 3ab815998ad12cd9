package org.nyala.log;

/**
 * An administrator who calls a bean.
 *
 * <p>Immutable.
 *
 * @param isOfPort true for a user of the JMX port, false for who has attached to the process
 * @param user its name; empty if it is not known
 */
public record Administrator(boolean isOfPort, String user) {
  /** Cuts a long name. */
  public Administrator {
    user = LogText.cut(user);
  }
}
