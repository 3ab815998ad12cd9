package org.nyala.cli.store;

import java.io.PrintWriter;

/** The sentences about what copies of a server need when its data was replaced. Stateless. */
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

  private static void print(PrintWriter err, String why) {
    err.println(
        why
            + ": those by Nyala read everything again, or wait for 'nyala sync confirm' if they"
            + " have later changes; those by slapd are refused if they have such ones, and must be"
            + " emptied");
  }
}
