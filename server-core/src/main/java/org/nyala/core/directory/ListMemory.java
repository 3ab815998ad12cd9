package org.nyala.core.directory;

import org.jspecify.annotations.Nullable;
import org.nyala.core.budget.MemoryAccount;

/**
 * What a sorted list that is done holds on behalf of whom it was made for, beside the connection
 * that it may outlast: for as long as it is kept or anybody sends from it.
 *
 * <p>Thread-safe.
 */
public final class ListMemory {
  private final MemoryAccount account;
  private final Object owner;
  private final long bytes;
  private int users = 1;

  private ListMemory(MemoryAccount account, long bytes) {
    this.account = account;
    this.owner = account.owner();
    this.bytes = bytes;
  }

  /**
   * Takes it with one user.
   *
   * @param connection over which it was asked for
   * @param owner on whose behalf
   * @return null where there is no room
   */
  public static @Nullable ListMemory take(MemoryAccount connection, Object owner, long bytes) {
    MemoryAccount account = connection.openBeside(owner);
    if (account.tryTakeKept(bytes)) {
      return new ListMemory(account, bytes);
    }
    account.close();
    return null;
  }

  /** On whose behalf. */
  Object owner() {
    return owner;
  }

  /** Adds a user; false when it has been given back already. */
  synchronized boolean join() {
    users += users > 0 ? 1 : 0;
    return users > 0;
  }

  /** Gives it back with the last user. */
  synchronized void leave() {
    users--;
    if (users == 0) {
      account.giveBack(bytes);
      account.close();
    }
  }
}
