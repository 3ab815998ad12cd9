package org.nyala.cli.store;

import java.io.PrintWriter;
import org.nyala.core.backend.CopySource;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.dn.Dn;
import org.nyala.lmdb.LmdbBackend;

/** The sentences of commands about copies: what they need, and what they lack. Stateless. */
final class CopyNotes {
  private CopyNotes() {}

  /** Prints what copies need after data was restored. */
  static void restored(PrintWriter err) {
    print(err, "changes after the backup are lost, which copies of this server may have");
  }

  /** Prints what copies need after data was imported. */
  static void imported(PrintWriter err) {
    print(err, "copies of this server may have other data");
  }

  /** Prints which naming contexts of an export are parts, because a refresh has not ended. */
  static void exported(PrintWriter err, LmdbBackend backend) {
    try (ReadTransaction transaction = backend.beginRead()) {
      for (Dn suffix : backend.namingContexts()) {
        CopySource source = transaction.source(suffix);
        if (source != null && source.isHalf()) {
          err.println(
              "nyala: the export of "
                  + suffix
                  + " is not whole: a refresh from "
                  + source.provider()
                  + " has begun and not ended");
        }
      }
    }
  }

  private static void print(PrintWriter err, String why) {
    err.println(
        why
            + ": those by Nyala read everything again, or wait for 'nyala sync confirm' if they"
            + " have later changes; those by slapd are refused if they have such ones, and must be"
            + " emptied");
  }
}
