package org.nyala.lmdb.env;

import org.lmdbjava.Env;
import org.lmdbjava.LmdbException;
import org.nyala.core.backend.StoreUnavailableException;

/**
 * Whether there is room for what a transaction changes. A full store gives a head-room, once in a
 * transaction, for deleting entries, and takes nothing else then.
 *
 * <p>Confined to the thread that began the transaction.
 */
public final class WriteHeadroom {
  private final LmdbEnvironment environment;
  private final MapSize mapSize;

  /** Whether the map is larger than it may be, so that entries can be deleted. */
  private boolean hasHeadRoom;

  /** Whether anything was changed that takes room. */
  private boolean isTaken;

  public WriteHeadroom(LmdbEnvironment environment, MapSize mapSize) {
    this.environment = environment;
    this.mapSize = mapSize;
  }

  /** Another transaction begins. */
  public void begin() {
    hasHeadRoom = false;
    isTaken = false;
  }

  /** Notes that something is changed that takes room. */
  public void take() {
    isTaken = true;
  }

  /** Throws a {@link StoreUnavailableException} where there is room for nothing but deleting. */
  public void requireRoom() {
    if (hasHeadRoom) {
      environment.commitTimes().failed(StoreFailures.FULL);
      throw new StoreUnavailableException(StoreFailures.FULL, null);
    }
  }

  /** Whether head-room is needed before something is deleted. */
  public boolean needsHeadRoom() {
    return mapSize.isFull() && !hasHeadRoom;
  }

  /** Takes head-room, while no transaction is open. */
  public void takeHeadRoom() {
    hasHeadRoom = mapSize.addHeadRoom();
  }

  /** The transaction is committed: there was room. */
  public void committed() {
    if (isTaken) {
      mapSize.notFull();
      environment.commitTimes().stored();
    }
  }

  /** What a failure of LMDB in the transaction means, of which some are a lack of room. */
  public StoreUnavailableException failure(LmdbException e) {
    if (!(e instanceof Env.MapFullException)) {
      return environment.unavailable(e);
    }
    // What only deletes is given head-room the next time, once the store is known to be full.
    boolean mayHaveHeadRoom = !isTaken && !mapSize.isFull();
    boolean mayGrow = mapSize.full();
    boolean isWorthAnother = mayGrow || mayHaveHeadRoom;
    if (!isWorthAnother) {
      environment.commitTimes().failed(StoreFailures.FULL);
    }
    return new StoreUnavailableException(StoreFailures.FULL, e, isWorthAnother);
  }
}
