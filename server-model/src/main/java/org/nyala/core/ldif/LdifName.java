package org.nyala.core.ldif;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.nyala.core.bytes.PrintableText;

/**
 * Reads the DNs of records of LDIF (RFC 2849) from their text alone, for messages about records
 * that cannot be used.
 *
 * <p>Confined to one running operation.
 */
public final class LdifName {
  /** The most characters of a DN in a message. */
  private static final int SHOWN = 300;

  private final LdifParser parser = new LdifParser(LdifLimits.DEFAULT, Path.of(""));
  private final LdifChunk chunk = new LdifChunk(0);
  private final LdifRecord record = new LdifRecord();

  /**
   * Returns the DN of a record in UTF-8, as it is written; null if the parser finds none.
   *
   * @param text holds the record from {@code start} to before {@code end}
   */
  public byte @Nullable [] of(byte[] text, int start, int end) {
    chunk.bytes = text;
    chunk.length = end;
    parser.start(chunk);
    return parser.name(record, start);
  }

  /**
   * Returns a DN in quotes for a message of one line, without characters that could drive a
   * terminal, and at most 300 characters of it.
   */
  public static String shown(byte[] dn) {
    return "'" + PrintableText.of(new String(dn, StandardCharsets.UTF_8), SHOWN) + '\'';
  }
}
