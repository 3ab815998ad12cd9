package org.nyala.lmdb;

import org.lmdbjava.LmdbException;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.lmdb.env.LmdbEnvironment;

/**
 * The places of readers whose processes have ended without giving them back, such as an export that
 * was killed: what changes free is never used again while such a reader seems to be there.
 */
public final class StaleReaders {
  private StaleReaders() {}

  /**
   * Frees the places; LMDB finds out which processes are no more.
   *
   * @return how many there were
   */
  public static int free(LmdbBackend backend) {
    LmdbEnvironment environment = backend.environment();
    // While something reads, the store is not closed.
    try (ReadTransaction _ = backend.beginRead()) {
      return environment.env().readerCheck();
    } catch (LmdbException e) {
      throw environment.failure("freeing the places of readers", e);
    }
  }
}
