package org.nyala.lmdb;

import org.lmdbjava.LmdbException;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.lmdb.env.LmdbEnvironment;

/**
 * The reader slots of processes that have ended without giving them back, such as an export that
 * was killed: pages freed by changes are not reused while such a slot seems to be in use.
 */
public final class StaleReaders {
  private StaleReaders() {}

  /**
   * Frees the slots of readers whose processes have ended; LMDB finds out which those are.
   *
   * @return the number of slots that were freed
   */
  public static int free(LmdbBackend backend) {
    LmdbEnvironment environment = backend.environment();
    // The store is not closed while a read is open.
    try (ReadTransaction _ = backend.beginRead()) {
      return environment.env().readerCheck();
    } catch (LmdbException e) {
      throw environment.failure("freeing reader slots", e);
    }
  }
}
