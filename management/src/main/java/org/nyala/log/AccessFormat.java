package org.nyala.log;

/** A format of the access log. Immutable. */
interface AccessFormat {
  /**
   * Appends the lines of a record, each with its line end; none if this format omits the record.
   */
  void append(AccessRecord happened, StringBuilder text);
}
