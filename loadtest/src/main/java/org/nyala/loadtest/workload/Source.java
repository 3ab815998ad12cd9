package org.nyala.loadtest.workload;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.buffer.ByteBuf;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.function.Function;
import org.nyala.loadtest.ldap.PatternRequest;
import org.nyala.loadtest.ldap.Placeholder;

/**
 * A placeholder of a {@link TextPattern}. Its text is a function of the person and of the number of
 * the operation, so that all requests of an operation agree, and no state is shared. Immutable.
 */
sealed interface Source extends Placeholder {
  /** The same text as a part of the value of an RDN (RFC 4514, section 2.4). */
  default Source escaped() {
    return this;
  }

  /** Returns whether the text depends on the person alone. */
  default boolean isOfPerson() {
    return false;
  }

  /** The way in which one of several values is chosen. */
  enum Way {
    /** By the person. */
    PERSON,
    /** By chance, with equal probability. */
    RANDOM,
    /** One after the other, over and over. */
    SEQUENTIAL
  }

  /**
   * A choice of one of several values. Immutable.
   *
   * @param count the number of values, at least 1
   * @param salt the difference to other choices by chance
   * @param divisor the number of persons in a row that have the same value
   */
  record Choice(Way way, int count, long salt, int divisor) {
    int index(int person, long operation) {
      return switch (way) {
        case PERSON -> person / divisor % count;
        case SEQUENTIAL -> (int) (operation % count);
        case RANDOM -> (int) below(random(operation, salt), count);
      };
    }
  }

  /** Well-mixed bits of two numbers (SplitMix64). */
  private static long random(long operation, long salt) {
    long z = operation * 0x9E3779B97F4A7C15L + salt * 0xD1B54A32D192ED03L + salt;
    z = (z ^ z >>> 30) * 0xBF58476D1CE4E5B9L;
    z = (z ^ z >>> 27) * 0x94D049BB133111EBL;
    return z ^ z >>> 31;
  }

  private static long below(long random, long bound) {
    return Math.unsignedMultiplyHigh(random, bound);
  }

  /** Whole numbers at equal distances. */
  record Numbers(Choice choice, long first, long step, int width) implements Source {
    @Override
    public boolean isOfPerson() {
      return choice.way == Way.PERSON;
    }

    @Override
    public void write(ByteBuf target, int person, long operation) {
      PatternRequest.digits(target, first + step * choice.index(person, operation), width);
    }
  }

  /**
   * Texts of a list.
   *
   * @param sums the sums of their weights up to each; empty if all are as frequent
   */
  @SuppressWarnings("ArrayRecordComponent")
  record Texts(Choice choice, byte[][] texts, long[] sums, boolean isElement) implements Source {
    @Override
    public boolean isOfPerson() {
      return choice.way == Way.PERSON;
    }

    @Override
    public void write(ByteBuf target, int person, long operation) {
      target.writeBytes(texts[index(person, operation)]);
    }

    private int index(int person, long operation) {
      if (sums.length == 0) {
        return choice.index(person, operation);
      }
      long drawn = below(random(operation, choice.salt), sums[sums.length - 1]);
      int at = 0;
      while (sums[at] <= drawn) {
        at++;
      }
      return at;
    }

    @Override
    public Source escaped() {
      return mapped(text -> text(Distinguished.escaped(text)), isElement);
    }

    /** The same choice of other bytes. */
    Texts mapped(Function<String, byte[]> other, boolean areElements) {
      byte[][] others =
          Arrays.stream(texts).map(t -> other.apply(new String(t, UTF_8))).toArray(byte[][]::new);
      return new Texts(choice, others, sums, areElements);
    }

    private static byte[] text(String value) {
      return value.getBytes(UTF_8);
    }
  }

  /** Random characters. */
  @SuppressWarnings("ArrayRecordComponent")
  record Characters(int least, int most, byte[][] symbols, long salt) implements Source {
    @Override
    public void write(ByteBuf target, int person, long operation) {
      long random = random(operation, salt);
      long length = least + (most == least ? 0 : below(random, most - least + 1L));
      for (long i = 0; i < length; i++) {
        random = random(random, i + 1);
        target.writeBytes(symbols[(int) below(random, symbols.length)]);
      }
    }

    @Override
    public Source escaped() {
      byte[][] safe =
          Arrays.stream(symbols)
              .map(s -> Distinguished.escaped(new String(s, UTF_8)).getBytes(UTF_8))
              .toArray(byte[][]::new);
      return new Characters(least, most, safe, salt);
    }
  }

  /** Random UUIDs (RFC 9562, version 4). */
  record Uuids(long salt) implements Source {
    private static final int DIGITS = 36;

    @Override
    public void write(ByteBuf target, int person, long operation) {
      long high = random(operation, salt) & ~0xf000L | 0x4000L;
      long low = random(~operation, salt) & 0x3fff_ffff_ffff_ffffL | Long.MIN_VALUE;
      String digits = "0123456789abcdef";
      for (int at = 0; at < DIGITS; at++) {
        if (at == 8 || at == 13 || at == 18 || at == 23) {
          target.writeByte('-');
        } else {
          int nibble = at - (at > 23 ? 4 : at > 18 ? 3 : at > 13 ? 2 : at > 8 ? 1 : 0);
          long half = nibble < 16 ? high : low;
          target.writeByte(digits.charAt((int) (half >>> 60 - 4 * (nibble & 15)) & 15));
        }
      }
    }
  }

  /** The number of the operation, from 0 up: different in each. */
  record Operation() implements Source {
    @Override
    public void write(ByteBuf target, int person, long operation) {
      PatternRequest.digits(target, operation, 1);
    }
  }

  /** Distinguished names as text (RFC 4514). Stateless. */
  final class Distinguished {
    private Distinguished() {}

    /** A value as it is written in an RDN. */
    static String escaped(String value) {
      StringBuilder out = new StringBuilder(value.length() + 8);
      for (int i = 0; i < value.length(); i++) {
        char c = value.charAt(i);
        boolean isEdge = i == 0 || i == value.length() - 1;
        if (",+\"\\<>;=".indexOf(c) >= 0 || c == ' ' && isEdge || c == '#' && i == 0) {
          out.append('\\');
        }
        out.append(c == 0 ? "\\00" : String.valueOf(c));
      }
      return out.toString();
    }

    /** The place of the comma behind the first RDN; the length of the name if there is none. */
    static int rdnEnd(String name) {
      boolean isQuoted = false;
      for (int at = 0; at < name.length(); at++) {
        char c = name.charAt(at);
        if (c == '\\') {
          at++;
        } else if (c == '"') {
          isQuoted = !isQuoted;
        } else if (c == ',' && !isQuoted) {
          return at;
        }
      }
      return name.length();
    }

    /** The value of the first RDN without its escapes, as requests have it. */
    static String value(String name) {
      String rdn = name.substring(0, rdnEnd(name));
      String raw = rdn.substring(rdn.indexOf('=') + 1).strip();
      int escapes = raw.length() - raw.replaceFirst("\\\\+$", "").length();
      // A space at the end that is escaped belongs to the value.
      String escaped = escapes % 2 == 1 && rdn.endsWith(" ") ? raw + ' ' : raw;
      byte[] bytes = escaped.getBytes(UTF_8);
      ByteArrayOutputStream out = new ByteArrayOutputStream(bytes.length);
      for (int at = 0; at < bytes.length; at++) {
        boolean isEscape = bytes[at] == '\\' && at + 1 < bytes.length;
        int high = isEscape ? Character.digit(bytes[at + 1], 16) : -1;
        int low = high >= 0 && at + 2 < bytes.length ? Character.digit(bytes[at + 2], 16) : -1;
        if (low >= 0) {
          out.write(high << 4 | low);
          at += 2;
        } else {
          out.write(bytes[isEscape ? ++at : at]);
        }
      }
      return out.toString(UTF_8);
    }
  }
}
