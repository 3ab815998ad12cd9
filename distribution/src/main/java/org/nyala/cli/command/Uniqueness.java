package org.nyala.cli.command;

/** The treatment of entries that have values of others, against {@code uniqueness}. */
public enum Uniqueness {
  /** They are imported and listed. */
  report,
  /** They are rejected, with the entries below them. */
  reject
}
