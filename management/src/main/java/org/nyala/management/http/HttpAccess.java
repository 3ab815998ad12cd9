package org.nyala.management.http;

import java.util.Optional;

/**
 * The access to the HTTP port.
 *
 * <p>Immutable.
 *
 * @param monitor the account that may read; where there is none, who reaches the port may read
 *     metrics
 * @param admin the account that may act by the live page, and read
 * @param page how the live page is read
 */
public record HttpAccess(
    Optional<HttpAccount> monitor, Optional<HttpAccount> admin, PageAccess page) {
  /** The access without any account. */
  public static final HttpAccess OPEN =
      new HttpAccess(Optional.empty(), Optional.empty(), PageAccess.LOOPBACK);

  /** The way to read the live page. */
  public enum PageAccess {
    /** From the machine itself without a login, from elsewhere with one. */
    LOOPBACK,
    /** With a login. */
    LOGIN,
    /** Not at all. */
    OFF
  }

  /** Returns whether another access has the same accounts, maybe with other passwords. */
  public boolean isLike(HttpAccess other) {
    return monitor.isPresent() == other.monitor.isPresent()
        && admin.isPresent() == other.admin.isPresent();
  }
}
