package org.nyala.log;

import java.time.Instant;

/** A format of the access log. Immutable. */
interface AccessFormat {
  /**
   * Appends the lines of a record, each with its line end; none if this format omits the record.
   */
  void append(AccessRecord happened, StringBuilder text);

  /** Returns the lines that report dropped records, each with its line end. */
  String drops(Instant time, long count);
}
