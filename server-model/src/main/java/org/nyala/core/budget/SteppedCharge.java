package org.nyala.core.budget;

/**
 * The memory that one operation takes from an account, in steps: nothing for amounts up to one
 * step, so that small operations touch no account.
 *
 * <p>Confined to one thread at a time. The creator must give everything back in the end.
 */
public final class SteppedCharge {
  /** Bytes that are taken or given back at once, and that are free. */
  public static final int STEP_BYTES = 64 * 1024;

  private final MemoryAccount account;
  private long taken;
  private long held;

  /** Begins with nothing taken. */
  public SteppedCharge(MemoryAccount account) {
    this.account = account;
  }

  /**
   * Charges the account for the given number of bytes, in place of the amount held before.
   *
   * @return false if there is no room; the former amount is held then
   */
  public boolean tryHold(long bytes) {
    long wanted = steps(bytes);
    if (wanted > taken && !account.tryTake(wanted - taken)) {
      return false;
    }
    if (wanted < taken) {
      account.giveBack(taken - wanted);
    }
    taken = wanted;
    held = bytes;
    return true;
  }

  /**
   * Charges the account for some bytes more than before.
   *
   * @return false if there is no room; the former amount is held then
   */
  public boolean tryAdd(long bytes) {
    return tryHold(held + bytes);
  }

  /** Returns whether some bytes more than before could be charged now. */
  public boolean couldAdd(long bytes) {
    long before = held;
    boolean isRoom = tryAdd(bytes);
    if (isRoom) {
      hold(before);
    }
    return isRoom;
  }

  /** Charges the account for the given number of bytes, room or not: they are occupied already. */
  public void hold(long bytes) {
    long wanted = steps(bytes);
    account.change(taken, wanted);
    taken = wanted;
    held = bytes;
  }

  /** Gives everything back. Idempotent. */
  public void giveBack() {
    hold(0);
  }

  /**
   * Passes on what is taken to a holder that gives it back to the account; nothing is held from now
   * on.
   *
   * @return the bytes that are taken
   */
  public long passOn() {
    long passed = taken;
    taken = 0;
    held = 0;
    return passed;
  }

  public long taken() {
    return taken;
  }

  private static long steps(long bytes) {
    return bytes <= STEP_BYTES ? 0 : (bytes + STEP_BYTES - 1) / STEP_BYTES * STEP_BYTES;
  }
}
