package org.nyala.lmdb.admin;

import java.nio.file.Path;
import org.nyala.core.schema.Schema;
import org.nyala.lmdb.env.EntryProgress;
import org.nyala.lmdb.env.LmdbEnvironment;
import org.nyala.lmdb.env.TxnHandle;

/** Verifications that report no progress. */
public final class Verification {
  private Verification() {}

  /** Verifies a data directory. */
  public static StoreVerifier.Report verify(Path directory, Schema schema, int maximumProblems) {
    return StoreVerifier.verify(directory, schema, maximumProblems, EntryProgress.NONE);
  }

  /** Verifies a store that is open. */
  public static StoreVerifier.Report verify(
      LmdbEnvironment environment, Schema schema, int maximumProblems) {
    try (TxnHandle slot = new TxnHandle(environment)) {
      return StoreVerifier.verifier(slot, schema, maximumProblems, EntryProgress.NONE)
          .run(StoreVerifier.Extent.STORE);
    }
  }
}
