package org.nyala.core.operation.update;

import org.nyala.core.budget.MemoryAccount;
import org.nyala.core.directory.AssertionControl;
import org.nyala.core.filter.Compilation;

/**
 * The memory of the compiled assertion of an update, charged to its client beside the request from
 * before it is compiled until the update has ended. If it is compiled several times, one after the
 * other, the largest counts. An ordinary assertion of a few items takes nothing.
 *
 * <p>Confined to the thread that has the update.
 */
final class AssertionRoom implements Compilation.Room {
  private static final int FREE_BYTES = 1024;
  private static final int STEP_BYTES = 4096;

  private final MemoryAccount account;
  private long bytes;
  private long taken;
  private boolean isClosed;

  /** Begins with nothing taken. */
  AssertionRoom(MemoryAccount account) {
    this.account = account;
  }

  /** Begins to compile, in place of what was compiled before. */
  AssertionRoom begin() {
    bytes = 0;
    return this;
  }

  @Override
  public boolean tryAdd(long more) {
    bytes += more;
    long wanted = bytes <= FREE_BYTES ? 0 : (bytes + STEP_BYTES - 1) / STEP_BYTES * STEP_BYTES;
    if (bytes > AssertionControl.UPDATE_BYTES) {
      return false;
    }
    if (!isClosed && wanted > taken) {
      if (!account.tryTake(wanted - taken)) {
        return false;
      }
      taken = wanted;
    }
    return true;
  }

  /** Returns whether there may be room later: what was asked for is not too much in any case. */
  @Override
  public boolean isPassing() {
    return bytes <= AssertionControl.UPDATE_BYTES && account.couldHold(bytes);
  }

  /** Returns the account of the client, for what is compiled for one test of an entry. */
  MemoryAccount account() {
    return account;
  }

  /** Returns the bytes that are taken. */
  long taken() {
    return taken;
  }

  /** Gives everything back: the update has ended, or another account holds it. Idempotent. */
  void close() {
    isClosed = true;
    if (taken > 0) {
      account.giveBack(taken);
      taken = 0;
    }
  }
}
