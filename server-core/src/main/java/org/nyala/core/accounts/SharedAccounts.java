package org.nyala.core.accounts;

import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.Backend;

/**
 * The state of accounts that several servers with one store have in common: what one of them
 * records for all, and the wrong passwords that each of them has seen.
 *
 * <p>Thread-safe; no method waits. Bytes from other servers are checked before anything is taken
 * from them.
 */
public interface SharedAccounts {
  /** The most bytes of a form. */
  int MOST_BYTES = 64 * 1024;

  /**
   * Records what another server has passed on, here where the changes of the store are made.
   *
   * @param store the store of the account
   * @param form as the accounts of the other server have made it
   * @return a stage that completes with the answer once it is on disk; fails if nothing is recorded
   */
  CompletionStage<byte[]> record(Backend store, byte[] form);

  /**
   * Returns the wrong passwords that were seen here since the last call, for all other servers to
   * {@linkplain #learn learn}; null if there were none. They are kept from the first call on, and
   * only as many as {@link #MOST_BYTES} hold.
   */
  byte @Nullable [] takeGuesses();

  /**
   * Counts wrong passwords that another server has seen against their names and sources.
   *
   * @throws IllegalArgumentException if it cannot be read
   */
  void learn(byte[] guesses);
}
