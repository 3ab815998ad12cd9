package org.nyala.core.directory;

import org.jspecify.annotations.Nullable;
import org.nyala.core.budget.MemoryAccount;

/**
 * The memory that a complete sorted list holds on behalf of the client for which it was made,
 * beside the connection that it may outlast: for as long as it is cached or being sent.
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
   * Takes memory with one user.
   *
   * @param connection the account of the requesting connection
   * @param owner the owner on whose behalf it is held
   * @return null if there is no room
   */
  public static @Nullable ListMemory take(MemoryAccount connection, Object owner, long bytes) {
    MemoryAccount account = connection.openBeside(owner);
    if (account.tryTakeKept(bytes)) {
      return new ListMemory(account, bytes);
    }
    account.close();
    return null;
  }

  /** Returns the owner on whose behalf it is held. */
  Object owner() {
    return owner;
  }

  /** Adds a user; false if it has been given back already. */
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
