package org.nyala.core.slapd;

import org.nyala.core.access.rule.Source;
import org.nyala.core.bytes.PrintableText;

/**
 * The file is no configuration of slapd that can be read. Carries no stack trace: the message has
 * the place.
 */
public final class InvalidSlapdFileException extends Exception {
  private static final int MAXIMUM_CHARS = 300;
  private static final long serialVersionUID = 1;

  /**
   * Creates the exception.
   *
   * @param fault the fault, of which the message has 300 characters
   */
  public InvalidSlapdFileException(Source source, String fault) {
    super(
        PrintableText.of(source.file(), MAXIMUM_CHARS)
            + ':'
            + source.line()
            + ": "
            + PrintableText.of(fault, MAXIMUM_CHARS),
        null,
        false,
        false);
  }
}
