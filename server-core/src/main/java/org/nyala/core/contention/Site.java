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

  /** What a report calls it. */
  public final String name() {
    return name;
  }

  /** Puts the counters back to zero. */
  abstract void reset();

  /**
   * Takes the site out of coming measurements; one that runs still shows it. What the site guards
   * goes on working. Idempotent.
   */
  @Override
  public final void close() {
    contention.remove(this);
  }
}
