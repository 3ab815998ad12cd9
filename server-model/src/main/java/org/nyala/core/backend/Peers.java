package org.nyala.core.backend;

import java.util.concurrent.CompletionStage;

/**
 * The servers that have one store in common, of which one makes its changes, as one of them sees
 * the others.
 *
 * <p>Thread-safe; no method waits.
 */
public interface Peers {
  /** Returns the number of the servers, this one included; at least 1. */
  int servers();

  /**
   * Has the server that makes the changes record something about an account.
   *
   * @param form its bytes, which the accounts of that server read; stay unchanged
   * @return a stage that completes with the answer once the store here shows what is recorded. It
   *     fails if none has come in time: it is not known then if it is recorded
   */
  CompletionStage<byte[]> record(byte[] form);
}
