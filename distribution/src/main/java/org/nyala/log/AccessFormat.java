package org.nyala.log;

import java.time.Instant;

/** Puts what clients do into lines. Immutable. */
interface AccessFormat {
  /**
   * Appends the lines that say it, each with its line end; none for what this format leaves out.
   */
  void append(AccessRecord happened, StringBuilder text);

  /** The lines that say how many records were dropped, each with its line end. */
  String drops(Instant time, long count);
}
