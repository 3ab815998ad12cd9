package org.nyala.integrity;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.MatchingRule;

/**
 * The values of one attribute that are names below a name. Most of very many values have one of few
 * parents, whose normal forms are worked out once.
 *
 * <p>Confined to the writer's thread, for one change.
 */
final class NamesBelow {
  /** A value may have a bit string after the name (RFC 4517, section 3.3.21). */
  private static final String NAME_AND_OPTIONAL_UID = "1.3.6.1.4.1.1466.115.121.1.34";

  /** The parents that are kept in memory; others are worked out again. */
  private static final int MOST_PARENTS = 1024;

  private final byte[] name;
  private final Map<ByteBuffer, Boolean> parents = new HashMap<>();
  private final ByteAppender normalized = new ByteAppender(256);

  /** Prepares to test values of one attribute against a name in its normal form. */
  NamesBelow(byte[] name) {
    this.name = name;
  }

  /** Returns whether a value may have a bit string after the name. */
  static boolean mayHaveUid(AttributeType type) {
    return type.syntax().oid().equals(NAME_AND_OPTIONAL_UID);
  }

  /** Returns the name that a value is, without a bit string. */
  static String name(AttributeType type, byte[] value) {
    int length = mayHaveUid(type) ? nameLength(value, value.length) : value.length;
    return new String(value, 0, length, StandardCharsets.UTF_8);
  }

  boolean includes(AttributeType type, byte[] value) {
    int comma = endOfRdn(value);
    if (comma < 0) {
      return isWithin(type, value, false);
    }
    ByteBuffer parent = ByteBuffer.wrap(value, comma + 1, value.length - comma - 1);
    Boolean known = parents.get(parent);
    if (known == null) {
      byte[] copy = Arrays.copyOfRange(value, comma + 1, value.length);
      known = isWithin(type, copy, true);
      if (parents.size() < MOST_PARENTS) {
        parents.put(ByteBuffer.wrap(copy), known);
      }
    }
    return known;
  }

  /** Returns the place of the comma behind the first RDN; negative if that is not simply found. */
  private static int endOfRdn(byte[] value) {
    int end = -1;
    for (int i = 0; i < value.length; i++) {
      byte each = value[i];
      if (each == '\\' || each == '"' || each == ';') {
        return -1;
      }
      end = each == ',' && end < 0 ? i : end;
    }
    return end;
  }

  private boolean isWithin(AttributeType type, byte[] value, boolean mayBeEqual) {
    MatchingRule rule = type.equality();
    normalized.clear();
    if (rule == null || !rule.valueNormalizer().normalize(value, 0, value.length, normalized)) {
      return false;
    }
    byte[] bytes = normalized.array();
    int end = normalized.length();
    int length = mayHaveUid(type) ? nameLength(bytes, end) : end;
    int at = length - name.length;
    if (at < 0 || !Arrays.equals(bytes, at, length, name, 0, name.length)) {
      return false;
    }
    // Commas within normal RDNs are escaped, so that each one is a boundary.
    return at == 0 ? mayBeEqual : bytes[at - 1] == ',';
  }

  /** Returns the length of the name before a bit string, if there is one. */
  private static int nameLength(byte[] value, int length) {
    if (length < 3 || value[length - 1] != 'B' || value[length - 2] != '\'') {
      return length;
    }
    int at = length - 3;
    while (at > 0 && (value[at] == '0' || value[at] == '1')) {
      at--;
    }
    return at > 0 && value[at] == '\'' && value[at - 1] == '#' ? at - 1 : length;
  }
}
