package org.nyala.core.dn;

import java.util.function.Supplier;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.core.schema.Normalizer;
import org.nyala.core.schema.Schema;

/**
 * The normal form of distinguished names as values: {@link Dn#normalized()}; with {@code #'01'B}
 * after it if the syntax is Name and Optional UID (RFC 4517, section 3.3.21).
 *
 * <p>Immutable.
 */
public final class DnNormalizer implements Normalizer {
  private final Supplier<Schema> schema;
  private final boolean allowsUid;

  /** Creates a normaliser that asks for the schema whenever it is used. */
  public DnNormalizer(Supplier<Schema> schema, boolean allowsUid) {
    this.schema = schema;
    this.allowsUid = allowsUid;
  }

  @Override
  public boolean normalize(byte[] source, int offset, int length, ByteAppender target) {
    return normalize(source, offset, length, target, 0);
  }

  /** Normalises a name that is the value of a name, {@code depth} levels down. */
  boolean normalize(byte[] source, int offset, int length, ByteAppender target, int depth) {
    int nameLength = allowsUid ? nameLength(source, offset, length) : length;
    try {
      Dn dn = DnParser.parseNested(schema.get(), source, offset, nameLength, depth);
      target.append(dn.normalized());
    } catch (InvalidDnException e) {
      return false;
    }
    target.append(source, offset + nameLength, length - nameLength);
    return true;
  }

  private static int nameLength(byte[] source, int offset, int length) {
    int at = offset + length - 2;
    if (length < 4 || source[at + 1] != 'B' || source[at] != '\'') {
      return length;
    }
    at--;
    while (at > offset && (source[at] == '0' || source[at] == '1')) {
      at--;
    }
    boolean found = at > offset && source[at] == '\'' && source[at - 1] == '#';
    return found ? at - 1 - offset : length;
  }
}
