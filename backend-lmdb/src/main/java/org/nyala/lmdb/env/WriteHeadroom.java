package org.nyala.lmdb.env;

import org.lmdbjava.Env;
import org.lmdbjava.LmdbException;
import org.nyala.core.backend.StoreUnavailableException;

/**
 * The space left for the changes of a transaction. A full store grants a head-room, once in a
 * transaction, for deleting entries, and accepts no other change then.
 *
 * <p>Confined to the thread that began the transaction.
 */
public final class WriteHeadroom {
  private final LmdbEnvironment environment;
  private final MapSize mapSize;

  /** True if the map is larger than its maximum, so that entries can be deleted. */
  private boolean hasHeadRoom;

  /** True if a change was made that takes space. */
  private boolean isTaken;

  public WriteHeadroom(LmdbEnvironment environment, MapSize mapSize) {
    this.environment = environment;
    this.mapSize = mapSize;
  }

  /** Begins with another transaction. */
  public void begin() {
    hasHeadRoom = false;
    isTaken = false;
  }

  /** Notes a change that takes space. */
  public void take() {
    isTaken = true;
  }

  /** Throws a {@link StoreUnavailableException} if there is only space for deleting. */
  public void requireRoom() {
    if (hasHeadRoom) {
      environment.commitTimes().failed(StoreFailures.FULL);
      throw new StoreUnavailableException(StoreFailures.FULL, null);
    }
  }

  /** Returns whether head-room is needed before an entry is deleted. */
  public boolean needsHeadRoom() {
    return mapSize.isFull() && !hasHeadRoom;
  }

  /** Takes head-room, while no transaction is open. */
  public void takeHeadRoom() {
    hasHeadRoom = mapSize.addHeadRoom();
  }

  /** Notes that the transaction was committed, so there was space. */
  public void committed() {
    mapSize.committed();
    if (isTaken) {
      mapSize.notFull();
      environment.commitTimes().stored();
    }
  }

  /**
   * Returns the exception for a failure that LMDB has caused, as {@link #failure}; other exceptions
   * as they are.
   */
  public RuntimeException failureOf(RuntimeException e) {
    Throwable cause = e instanceof StoreException ? e.getCause() : e;
    return cause instanceof LmdbException failed ? failure(failed) : e;
  }

  /**
   * Returns the exception for a failure of LMDB in the transaction; some failures are a lack of
   * space.
   */
  public StoreUnavailableException failure(LmdbException e) {
    if (!(e instanceof Env.MapFullException)) {
      return environment.unavailable(e);
    }
    // A transaction that only deletes gets head-room in its next attempt, once the store is known
    // to be full.
    boolean mayHaveHeadRoom = !isTaken && !mapSize.isFull();
    boolean mayGrow = mapSize.full();
    boolean isWorthAnother = mayGrow || mayHaveHeadRoom;
    if (!isWorthAnother) {
      environment.commitTimes().failed(StoreFailures.FULL);
    }
    return new StoreUnavailableException(StoreFailures.FULL, e, isWorthAnother);
  }
}
