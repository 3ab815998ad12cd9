package org.nyala.migrate;

import org.nyala.core.access.rule.Source;
import org.nyala.core.bytes.PrintableText;

/**
 * A remark about one part of slapd's configuration.
 *
 * <p>Immutable.
 *
 * @param kind the result
 * @param source the place of the part
 * @param subject its name as slapd has it: {@code sizelimit}
 * @param text the keys that it has become, or what its loss means; printable
 */
public record MigrationNote(Kind kind, Source source, String subject, String text) {
  private static final int MAXIMUM_CHARS = 600;

  /** The result for a part of the configuration. */
  public enum Kind {
    /** It is translated, and means the same. */
    TRANSLATED,
    /** It is translated, or built in, and does not mean quite the same. */
    DIFFERENT,
    /** It has no counterpart. */
    MISSING,
    /** It needs no counterpart. */
    NEEDLESS
  }

  /** Makes the texts safe to print. */
  public MigrationNote {
    subject = PrintableText.of(subject, MAXIMUM_CHARS);
    text = PrintableText.of(text, MAXIMUM_CHARS);
  }

  /** The line that reports it: {@code slapd.conf:12: sizelimit: limits.sizeLimit = 500}. */
  @Override
  public String toString() {
    String place =
        source.line() == 0
            ? ""
            : PrintableText.of(source.file(), MAXIMUM_CHARS) + ':' + source.line() + ": ";
    return place + subject + ": " + text;
  }
}
