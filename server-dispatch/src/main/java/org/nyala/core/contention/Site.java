package org.nyala.core.contention;

/**
 * A named place where threads or operations may have to wait for each other.
 *
 * <p>Thread-safe.
 */
public abstract sealed class Site implements AutoCloseable permits LockSite, WaitSite {
  final Contention contention;
  private final String name;

  Site(Contention contention, String name) {
    this.contention = contention;
    this.name = name;
  }

  /** Returns the name of the site in reports. */
  public final String name() {
    return name;
  }

  /** Puts the counters back to zero. */
  abstract void reset();

  /**
   * Removes the site from future measurements; a running one still shows it. The lock or queue of
   * the site keeps working. Idempotent.
   */
  @Override
  public final void close() {
    contention.remove(this);
  }
}
