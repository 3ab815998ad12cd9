package org.nyala.core.dn;

import java.nio.ByteBuffer;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.MatchingRule;
import org.nyala.core.schema.Schema;

/**
 * Normalises RDNs of entries, one after the other in the same memory: the same bytes as {@link
 * Dn#normalizedRdn}, and for those with one value and nothing escaped without a {@link Dn}.
 *
 * <p>Confined to one running operation. Hot.
 */
public final class RdnReader {
  /** The characters that need a closer look. */
  private static final String SPECIAL = "\\\"+,;<>#\0";

  private final Schema schema;
  private final ByteAppender raw = new ByteAppender(64);
  private final ByteAppender value = new ByteAppender(64);
  private final ByteAppender normalized = new ByteAppender(64);

  /** Creates a reader of names of a schema. */
  public RdnReader(Schema schema) {
    this.schema = schema;
  }

  /**
   * Returns the normal form of an RDN that is known to be valid. Borrowed until the next call.
   *
   * @param source the buffer that holds the RDN as it is presented; not written to
   * @param start the index at which it begins
   * @param length its length in bytes
   * @throws IllegalStateException if it is not an RDN
   */
  public ByteAppender normalize(ByteBuffer source, int start, int length) {
    raw.clear().append(source, start, length);
    normalized.clear();
    int equals = endOfType();
    if (equals == 0 || !isPlain(equals + 1) || !normalize(equals)) {
      normalized.clear();
      Dn name = DnParser.parseStored(schema, raw.toByteArray());
      if (name.rdnCount() != 1) {
        throw new IllegalStateException("not one RDN: " + name);
      }
      normalized.append(name.normalizedRdn(0));
    }
    return normalized;
  }

  /** Returns the index of the equals sign right after the type; 0 if there is none. */
  private int endOfType() {
    int at = 0;
    while (at < raw.length() && AvaReader.isTypeCharacter(raw.byteAt(at))) {
      at++;
    }
    return at < raw.length() && raw.byteAt(at) == '=' ? at : 0;
  }

  private boolean isPlain(int from) {
    int end = raw.length();
    if (from == end || raw.byteAt(from) == ' ' || raw.byteAt(end - 1) == ' ') {
      return false;
    }
    for (int i = from; i < end; i++) {
      if (SPECIAL.indexOf(raw.byteAt(i)) >= 0) {
        return false;
      }
    }
    return true;
  }

  private boolean normalize(int equals) {
    AttributeType type = schema.attributeType(raw.array(), 0, equals);
    MatchingRule rule = type == null ? null : type.equality();
    if (type == null || rule == null || rule.valueNormalizer() instanceof DnNormalizer) {
      return false;
    }
    value.clear();
    int from = equals + 1;
    if (!rule.valueNormalizer().normalize(raw.array(), from, raw.length() - from, value)) {
      return false;
    }
    AvaReader.appendNormalized(type, value, normalized);
    return true;
  }
}
