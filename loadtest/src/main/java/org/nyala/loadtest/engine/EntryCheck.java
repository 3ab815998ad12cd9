package org.nyala.loadtest.engine;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.nyala.loadtest.ldap.BerCursor;
import org.nyala.loadtest.ldap.Pdu;
import org.nyala.loadtest.workload.LoadSettings;
import org.nyala.loadtest.workload.Patterns;
import org.nyala.loadtest.workload.Targets;
import org.nyala.loadtest.workload.TextPattern;

/**
 * A check of whether an entry is the one that was asked for. The name of every entry is compared;
 * of a sample the whole entry is decoded, and must have the value that was searched for.
 *
 * <p>Confined to the channel's event loop. Hot: {@link #isLikely}; nothing is allocated.
 */
public final class EntryCheck {
  private static final int MAX_DIGITS = 10;
  private static final byte COMMA = ',';
  private static final byte SPACE = ' ';

  private final byte[] type;
  private final byte[] valuePrefix;
  private final byte[] valueSuffix;
  private final byte[] rdnPrefix;
  private final byte[] parent;
  private final boolean isEveryNameKnown;
  private final boolean isAnyNameKnown;
  private final long rdnHead;
  private final int width;
  private final byte[] digits = new byte[MAX_DIGITS];
  private final @Nullable TextPattern value;
  private final ByteBuf expected = Unpooled.buffer();
  private final BerCursor attributes = new BerCursor();
  private final BerCursor attribute = new BerCursor();
  private final BerCursor values = new BerCursor();

  public EntryCheck(LoadSettings settings) {
    Targets wanted = settings.options().values();
    type = bytes(wanted.attribute());
    valuePrefix = bytes(wanted.prefix());
    valueSuffix = bytes(wanted.suffix());
    rdnPrefix = bytes(wanted.attribute() + "=" + wanted.prefix());
    parent = bytes("," + settings.people().parent());
    Patterns patterns = settings.options().patterns();
    value =
        patterns != null && patterns.filter() == null && patterns.value().isOfPerson()
            ? patterns.value()
            : null;
    isAnyNameKnown = patterns == null && wanted.isPattern() && settings.options().replay() == null;
    isEveryNameKnown = isAnyNameKnown && wanted.hasNamesOf(Targets.PEOPLE);
    width = wanted.width();
    rdnHead = rdnPrefix.length < Long.BYTES ? 0 : head(rdnPrefix);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static long head(byte[] bytes) {
    return java.nio.ByteBuffer.wrap(bytes).getLong();
  }

  /** Returns whether the name is that of a user and the entry has attributes. */
  public boolean isLikely(
      ByteBuf in, int dnStart, int dnEnd, int attributesStart, int attributesEnd, int user) {
    if (!isAnyNameKnown) {
      return true;
    }
    if (attributesStart == attributesEnd) {
      return false;
    }
    int at = dnStart + rdnPrefix.length;
    if (at >= dnEnd || !startsWithRdn(in, dnStart)) {
      // Entries may be named by an attribute other than the searched one.
      return !isEveryNameKnown;
    }
    int number = 0;
    int character = in.getByte(at);
    while (character >= '0' && character <= '9') {
      number = number * 10 + character - '0';
      at++;
      character = at < dnEnd ? in.getByte(at) : COMMA;
    }
    return number == user && (width == 0 || at == dnStart + rdnPrefix.length + width);
  }

  private boolean startsWithRdn(ByteBuf in, int dnStart) {
    int from = 0;
    if (rdnPrefix.length >= Long.BYTES) {
      if (in.getLong(dnStart) != rdnHead) {
        return equalsIgnoringCase(in, dnStart, rdnPrefix, 0, rdnPrefix.length);
      }
      from = Long.BYTES;
    }
    return equalsIgnoringCase(in, dnStart + from, rdnPrefix, from, rdnPrefix.length);
  }

  /**
   * Returns whether {@link #isLikely} holds and the whole entry is well-formed, its name is exactly
   * that of the user if it can be known, and it has the value that was searched for.
   */
  public boolean isRight(
      ByteBuf in, int dnStart, int dnEnd, int attributesStart, int attributesEnd, int user) {
    return isLikely(in, dnStart, dnEnd, attributesStart, attributesEnd, user)
        && (!isEveryNameKnown || hasParent(in, dnStart, dnEnd))
        && (isAnyNameKnown || value != null
            ? hasValue(in, attributesStart, attributesEnd, user)
            : isWellFormed(in, dnStart, dnEnd, attributesStart, attributesEnd));
  }

  /** Returns whether a name ends with that of the people's parent, ignoring spaces and case. */
  private boolean hasParent(ByteBuf in, int dnStart, int dnEnd) {
    int at = in.indexOf(dnStart, dnEnd, COMMA);
    int expected = 0;
    while (at >= 0 && at < dnEnd) {
      byte character = in.getByte(at);
      if (expected < parent.length && parent[expected] == SPACE && character != SPACE) {
        expected++;
      } else if (character == SPACE && (expected == parent.length || parent[expected] != SPACE)) {
        at++;
      } else if (expected < parent.length && lower(character) == lower(parent[expected])) {
        expected++;
        at++;
      } else {
        return false;
      }
    }
    return at == dnEnd && expected == parent.length;
  }

  /**
   * Returns whether an entry's DN and its attributes with their values can be decoded to the last
   * octet.
   */
  boolean isWellFormed(ByteBuf in, int dnStart, int dnEnd, int attributesStart, int attributesEnd) {
    return dnEnd > dnStart && walk(in, attributesStart, attributesEnd, -1) >= 0;
  }

  private boolean hasValue(ByteBuf in, int start, int end, int user) {
    return walk(in, start, end, user) > 0;
  }

  /**
   * Decodes everything; returns -1 if that fails, else the number of times the user's value was
   * found.
   */
  private int walk(ByteBuf in, int start, int end, int user) {
    int found = 0;
    attributes.reset(in, start, end);
    while (!attributes.isAtEnd()) {
      if (!attributes.next(Pdu.SEQUENCE)) {
        return -1;
      }
      attribute.reset(in, attributes.contentStart(), attributes.contentEnd());
      if (!attribute.next(Pdu.OCTET_STRING)) {
        return -1;
      }
      boolean isWanted = user >= 0 && isType(in);
      if (!attribute.next(Pdu.SET) || !attribute.isAtEnd()) {
        return -1;
      }
      values.reset(in, attribute.contentStart(), attribute.contentEnd());
      while (!values.isAtEnd()) {
        if (!values.next(Pdu.OCTET_STRING)) {
          return -1;
        }
        if (isWanted && isValue(in, values.contentStart(), values.contentEnd(), user)) {
          found++;
        }
      }
    }
    return found;
  }

  private boolean isType(ByteBuf in) {
    return attribute.contentEnd() - attribute.contentStart() == type.length
        && equalsIgnoringCase(in, attribute.contentStart(), type, 0, type.length);
  }

  private boolean isValue(ByteBuf in, int start, int end, int user) {
    if (value != null) {
      value.write(expected.clear(), user, 0);
      int length = expected.readableBytes();
      return end - start == length && equalsIgnoringCase(in, start, expected.array(), 0, length);
    }
    int count = 0;
    int rest = user;
    do {
      count++;
      digits[MAX_DIGITS - count] = (byte) ('0' + rest % 10);
      rest /= 10;
    } while (rest > 0 || count < width);
    int suffixAt = start + valuePrefix.length + count;
    return end == suffixAt + valueSuffix.length
        && equalsIgnoringCase(in, start, valuePrefix, 0, valuePrefix.length)
        && equalsIgnoringCase(
            in, start + valuePrefix.length, digits, MAX_DIGITS - count, MAX_DIGITS)
        && equalsIgnoringCase(in, suffixAt, valueSuffix, 0, valueSuffix.length);
  }

  private static boolean equalsIgnoringCase(
      ByteBuf in, int start, byte[] expected, int from, int to) {
    for (int i = from; i < to; i++) {
      byte actual = in.getByte(start + i - from);
      if (actual != expected[i] && lower(actual) != lower(expected[i])) {
        return false;
      }
    }
    return true;
  }

  private static int lower(byte character) {
    return character >= 'A' && character <= 'Z' ? character + 32 : character;
  }
}
