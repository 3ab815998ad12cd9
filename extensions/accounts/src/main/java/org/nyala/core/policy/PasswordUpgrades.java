package org.nyala.core.policy;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import org.nyala.core.directory.UpdateSettings;
import org.nyala.core.password.PasswordHash;

/**
 * The bounds of storing passwords anew by a stronger scheme after a bind: {@value #PENDING_MAXIMUM}
 * at one time, and of each entry one in {@value #PAUSE_SECONDS} seconds, also if it fails each
 * time. What exceeds them is left for the next bind.
 *
 * <p>Thread-safe.
 */
public final class PasswordUpgrades {
  /** Two seconds of one hash thread. */
  private static final int PENDING_MAXIMUM = 64;

  private static final int PAUSE_SECONDS = 60;

  /** Entries that share a slot wait for each other; 68 a second are as many as two threads hash. */
  private static final int SLOTS = 1 << 12;

  private final boolean isEnabled;
  private final boolean hashesClearText;
  private final PasswordHash wanted;
  private final AtomicInteger pending = new AtomicInteger();

  /** The seconds of the last upgrades, from 1 on. */
  private final AtomicLongArray last = new AtomicLongArray(SLOTS);

  /**
   * Creates the bounds.
   *
   * @param wanted a hash as new ones are
   */
  PasswordUpgrades(UpdateSettings settings, PasswordHash wanted) {
    this.isEnabled = settings.upgradesAtBind() && !settings.readOnly();
    this.hashesClearText = settings.hashesClearText();
    this.wanted = wanted;
  }

  /**
   * Returns whether a stored password is weaker than new ones, and is to be stored anew.
   *
   * @param password the password that has matched it
   */
  public boolean isDue(PasswordHash stored, byte[] password) {
    return isEnabled
        && (hashesClearText || !stored.isClearText())
        && stored.isWeakerThan(wanted)
        && stored.isWhole(password);
  }

  /**
   * Begins an upgrade, unless there are too many; {@link #ended} ends it.
   *
   * @param nowNanos the time on the server's clock
   */
  public boolean tryBegin(long entryId, long nowNanos) {
    int slot = Long.hashCode(entryId) & SLOTS - 1;
    long second = TimeUnit.NANOSECONDS.toSeconds(nowNanos);
    long before = last.get(slot);
    if (before != 0 && second - (before - 1) < PAUSE_SECONDS && second >= before - 1) {
      return false;
    }
    if (pending.incrementAndGet() > PENDING_MAXIMUM
        || !last.compareAndSet(slot, before, second + 1)) {
      pending.decrementAndGet();
      return false;
    }
    return true;
  }

  public void ended() {
    pending.decrementAndGet();
  }
}
