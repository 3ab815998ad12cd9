package org.nyala.core.dn;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.core.bytes.PrintableText;
import org.nyala.core.bytes.Utf8;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.MatchingRule;
import org.nyala.core.schema.Schema;

/**
 * Reads the types and values of a distinguished name one after the other, and writes each in
 * normalised and in RFC 4514 form.
 *
 * <p>Confined to one running operation.
 */
final class AvaReader {
  static final int END = -1;

  private static final int MAXIMUM_SHOWN = 40;
  private static final String SPECIAL = " \"#+,;<=>\\";
  private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

  private final Schema schema;
  private final byte[] source;
  private final int depth;
  private final ByteAppender value = new ByteAppender(64);
  private final ByteAppender normalized = new ByteAppender(64);
  private final ByteAppender ava = new ByteAppender(64);
  private final ByteAppender rewritten;
  private int[] rdnStarts = new int[8];
  private int rdnCount;
  private int at;
  private int valueEnd;
  private boolean isRewritten;

  /** True if the value that was read last, or is being read, may be a password. */
  private boolean isOfSecret;

  private boolean hasNonAscii;
  private boolean inRdn;

  AvaReader(Schema schema, byte[] source, int depth) {
    this.schema = schema;
    this.source = source;
    this.depth = depth;
    this.rewritten = new ByteAppender(source.length + 16);
  }

  byte[] source() {
    return source;
  }

  int position() {
    return at;
  }

  /** Returns the index in the source at which the last value ends. */
  int valueEnd() {
    return valueEnd;
  }

  boolean isAtEnd() {
    return at == source.length;
  }

  /** Returns whether the RFC 4514 form must be generated because the source is not in it. */
  boolean isRewritten() {
    return isRewritten || hasNonAscii && !Utf8.isValid(source, 0, source.length);
  }

  byte[] rewritten() {
    return rewritten.toByteArray();
  }

  /** The pairs start, end of each RDN in {@link #rewritten()}. */
  int[] rewrittenEnds(int count, int length) {
    int[] ends = new int[2 * count];
    for (int i = 0; i < count; i++) {
      ends[2 * i] = rdnStarts[i];
      ends[2 * i + 1] = i + 1 < count ? rdnStarts[i + 1] - 1 : length;
    }
    return ends;
  }

  void skipSpaces() {
    while (at < source.length && source[at] == ' ') {
      at++;
    }
  }

  /** Records that another RDN starts here. */
  void beginRdn() {
    if (rdnCount > 0) {
      rewritten.append(',');
    }
    if (rdnCount == rdnStarts.length) {
      rdnStarts = Arrays.copyOf(rdnStarts, rdnCount * 2);
    }
    rdnStarts[rdnCount++] = rewritten.length();
    inRdn = false;
  }

  /** Reads a type and the equals sign after it. */
  AttributeType readType() throws InvalidDnException {
    isOfSecret = false;
    skipSpaces();
    if (at + 4 < source.length
        && source[at + 3] == '.'
        && (source[at] | 0x20) == 'o'
        && (source[at + 1] | 0x20) == 'i'
        && (source[at + 2] | 0x20) == 'd') {
      at += 4;
      isRewritten = true;
    }
    int from = at;
    while (at < source.length && isTypeCharacter(source[at])) {
      at++;
    }
    int to = at;
    skipSpaces();
    if (to == from || at == source.length || source[at] != '=') {
      throw invalid("expected an attribute type and '='");
    }
    isRewritten |= at > to;
    at++;
    AttributeType type = schema.attributeType(source, from, to - from);
    if (type == null) {
      throw new InvalidDnException(
          "unknown attribute type '" + shown(from, to) + "' in a distinguished name");
    }
    isOfSecret = type.isSecret();
    if (inRdn) {
      rewritten.append('+');
    }
    inRdn = true;
    rewritten.append(source, from, to - from).append('=');
    return type;
  }

  static boolean isTypeCharacter(byte b) {
    int lower = b | 0x20;
    return lower >= 'a' && lower <= 'z' || b >= '0' && b <= '9' || b == '-' || b == '.' || b == '_';
  }

  /** Reads a value and appends {@code type=value} in normalised form. */
  void readValue(AttributeType type, List<byte[]> avas) throws InvalidDnException {
    scanValue();
    appendEscaped();
    if (!normalize(type)) {
      throw new InvalidDnException(
          "invalid value of '" + type.name() + "' in a distinguished name");
    }
    ava.clear();
    appendNormalized(type, normalized, ava);
    avas.add(ava.toByteArray());
  }

  /** Appends {@code type=value} to normalised form; the value is in that of its equality rule. */
  static void appendNormalized(AttributeType type, ByteAppender value, ByteAppender target) {
    String name = type.name();
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      target.append(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
    }
    target.append('=');
    for (int i = 0; i < value.length(); i++) {
      byte b = value.byteAt(i);
      if (b == ',' || b == '+' || b == '\\') {
        appendHex(b, target);
      } else {
        target.append(b);
      }
    }
  }

  /** Reads a value and returns it unescaped. */
  byte[] readValue(AttributeType type) throws InvalidDnException {
    scanValue();
    if (!normalize(type)) {
      throw invalid("invalid value of '" + type.name() + "'");
    }
    return value.toByteArray();
  }

  private boolean normalize(AttributeType type) {
    normalized.clear();
    MatchingRule equality = type.equality();
    if (equality != null && equality.valueNormalizer() instanceof DnNormalizer names) {
      return names.normalize(value.array(), 0, value.length(), normalized, depth + 1);
    }
    if (!type.syntax().validator().isValid(value.array(), 0, value.length())) {
      return false;
    }
    if (equality == null) {
      normalized.append(value.array(), 0, value.length());
      return true;
    }
    return equality.valueNormalizer().normalize(value.array(), 0, value.length(), normalized);
  }

  /** Skips the separator of two values: {@code +}, {@code ,} or {@link #END}. */
  int readSeparator() throws InvalidDnException {
    skipSpaces();
    if (at == source.length) {
      return END;
    }
    byte separator = source[at++];
    isRewritten |= separator == ';';
    if (separator != '+' && separator != ',' && separator != ';') {
      at--;
      throw invalid("expected ',' or '+'");
    }
    return separator == '+' ? '+' : ',';
  }

  private void scanValue() throws InvalidDnException {
    int equalsEnd = at;
    skipSpaces();
    isRewritten |= at > equalsEnd;
    value.clear();
    if (at < source.length && source[at] == '#') {
      scanHex();
    } else if (at < source.length && source[at] == '"') {
      scanQuoted();
    } else {
      scanString();
    }
  }

  private void scanString() throws InvalidDnException {
    int significant = 0;
    valueEnd = at;
    while (at < source.length) {
      byte b = source[at];
      if (b == ',' || b == '+' || b == ';') {
        break;
      }
      if (b == '\\') {
        scanEscape();
        significant = value.length();
        valueEnd = at;
      } else if (b == 0 || b == '"' || b == '<' || b == '>') {
        throw invalid("a character that must be escaped");
      } else {
        value.append(b);
        at++;
        hasNonAscii |= b < 0;
        if (b != ' ') {
          significant = value.length();
          valueEnd = at;
        }
      }
    }
    value.truncate(significant);
  }

  private void scanQuoted() throws InvalidDnException {
    isRewritten = true;
    at++;
    while (at < source.length && source[at] != '"') {
      if (source[at] == '\\') {
        scanEscape();
      } else {
        value.append(source[at++]);
      }
    }
    if (at == source.length) {
      throw invalid("quote without end");
    }
    valueEnd = ++at;
  }

  private void scanEscape() throws InvalidDnException {
    if (at + 1 < source.length && SPECIAL.indexOf(source[at + 1]) >= 0) {
      value.append(source[at + 1]);
      at += 2;
      return;
    }
    at++;
    value.append(scanOctet());
  }

  private int scanOctet() throws InvalidDnException {
    int octet =
        at + 1 < source.length
            ? Character.digit(source[at], 16) << 4 | Character.digit(source[at + 1], 16)
            : -1;
    if (octet < 0) {
      throw invalid("expected two hexadecimal digits");
    }
    at += 2;
    return octet;
  }

  /* The hexadecimal form is of the BER encoding (RFC 4514, section 2.4): its content counts. */
  private void scanHex() throws InvalidDnException {
    int from = at++;
    while (at < source.length && Character.digit(source[at], 16) >= 0) {
      value.append(scanOctet());
    }
    valueEnd = at;
    int header = berHeaderLength(value.array(), value.length());
    if (header == 0) {
      at = from;
      throw invalid("not the BER encoding of one value");
    }
    byte[] content = Arrays.copyOfRange(value.array(), header, value.length());
    value.clear().append(content);
  }

  private static int berHeaderLength(byte[] ber, int length) {
    if (length < 2 || (ber[0] & 0x1f) == 0x1f) {
      return 0;
    }
    if (ber[1] >= 0) {
      return ber[1] == length - 2 ? 2 : 0;
    }
    int octets = ber[1] & 0x7f;
    if (octets == 0 || octets > 3 || length < 2 + octets) {
      return 0;
    }
    int content = 0;
    for (int i = 0; i < octets; i++) {
      content = content << 8 | ber[2 + i] & 0xff;
    }
    return content == length - 2 - octets ? 2 + octets : 0;
  }

  /*
   * A value that is not UTF-8 can only be hexadecimal pairs in an LDAPDN (RFC 4514, section 2.4).
   */
  private void appendEscaped() {
    int length = value.length();
    boolean isText = Utf8.isValid(value.array(), 0, length);
    for (int i = 0; i < length; i++) {
      byte b = value.byteAt(i);
      boolean atEdge = b == ' ' && (i == 0 || i == length - 1) || b == '#' && i == 0;
      if (b == 0 || b < 0 && !isText) {
        appendHex(b, rewritten);
      } else {
        if (atEdge || b > 0 && "\"+,;<>\\".indexOf(b) >= 0) {
          rewritten.append('\\');
        }
        rewritten.append(b);
      }
    }
  }

  private static void appendHex(byte b, ByteAppender target) {
    target.append('\\').append(HEX[b >> 4 & 0xf]).append(HEX[b & 0xf]);
  }

  /** Returns the failure at the place that was reached, without a value that may be a secret. */
  InvalidDnException invalid(String what) {
    String place = what + " at byte " + at + " of the name";
    if (isOfSecret) {
      return new InvalidDnException(place);
    }
    int end = at;
    while (end < source.length && source[end] != '=') {
      end++;
    }
    return new InvalidDnException(place + ", before '" + shown(at, end) + '\'');
  }

  private String shown(int from, int to) {
    int end = Math.min(to, from + MAXIMUM_SHOWN);
    String text = new String(source, from, end - from, StandardCharsets.UTF_8);
    return PrintableText.of(text, MAXIMUM_SHOWN);
  }
}
