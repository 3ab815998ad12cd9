package org.nyala.core.dn;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.Schema;

/**
 * Parses distinguished names (RFC 4514) in one pass, and in time linear in their length.
 *
 * <p>The syntax of LDAPv2 is understood too (RFC 2253, section 4): spaces around separators, {@code
 * ;} between RDNs, values in quotes, {@code OID.} before a dotted number. {@link Dn#raw()} of a
 * name written so is its RFC 4514 form; other names stay as they are presented.
 *
 * <p>Confined to one running operation.
 */
public final class DnParser {
  /** The default length in bytes above which a name is refused. */
  public static final int DEFAULT_MAXIMUM_LENGTH = 8192;

  /** The default number of RDNs above which a name is refused. */
  public static final int DEFAULT_MAXIMUM_RDNS = 128;

  private static final int NESTED_MAXIMUM_LENGTH = 1 << 20;
  private static final int NESTED_MAXIMUM_RDNS = 1024;
  private static final int MAXIMUM_DEPTH = 4;

  private final AvaReader reader;
  private final int maximumLength;
  private final int maximumRdns;
  private final List<byte[]> normalizedRdns = new ArrayList<>(8);
  private final List<byte[]> avas = new ArrayList<>(1);
  private int[] rdnEnds = new int[16];

  private DnParser(AvaReader reader, int maximumLength, int maximumRdns) {
    this.reader = reader;
    this.maximumLength = maximumLength;
    this.maximumRdns = maximumRdns;
  }

  /** Parses a name within the default limits. */
  public static Dn parse(Schema schema, String text) throws InvalidDnException {
    return parse(
        schema,
        text.getBytes(StandardCharsets.UTF_8),
        DEFAULT_MAXIMUM_LENGTH,
        DEFAULT_MAXIMUM_RDNS);
  }

  /** Parses a name that is known to be valid, such as that of an entry, however long it is. */
  public static Dn parseStored(Schema schema, byte[] dn) {
    try {
      return parse(schema, dn, Integer.MAX_VALUE, Integer.MAX_VALUE);
    } catch (InvalidDnException e) {
      String shown = new String(dn, StandardCharsets.UTF_8);
      throw new IllegalStateException("an entry has the invalid name " + shown, e);
    }
  }

  /**
   * Parses a name in UTF-8. The array may be kept: it is not to be written to afterwards.
   *
   * @param maximumLength the maximum length in bytes, both as presented and in the form in which it
   *     is kept and shown, which escapes may make longer
   * @param maximumRdns the maximum number of RDNs
   * @throws InvalidDnException if it is longer, not a name, of an unknown attribute type, or has a
   *     value that its type does not allow
   */
  public static Dn parse(Schema schema, byte[] utf8, int maximumLength, int maximumRdns)
      throws InvalidDnException {
    if (utf8.length > maximumLength) {
      throw new InvalidDnException(
          "name of " + utf8.length + " bytes, at most " + maximumLength + " are allowed");
    }
    return new DnParser(new AvaReader(schema, utf8, 0), maximumLength, maximumRdns).parse();
  }

  /**
   * Parses a name that is an attribute value; {@code depth} is the number of names that it is
   * within.
   */
  static Dn parseNested(Schema schema, byte[] source, int offset, int length, int depth)
      throws InvalidDnException {
    if (depth > MAXIMUM_DEPTH) {
      throw new InvalidDnException("names within names deeper than " + MAXIMUM_DEPTH);
    }
    if (length > NESTED_MAXIMUM_LENGTH) {
      throw new InvalidDnException("name of " + length + " bytes");
    }
    byte[] utf8 = Arrays.copyOfRange(source, offset, offset + length);
    return new DnParser(
            new AvaReader(schema, utf8, depth), NESTED_MAXIMUM_LENGTH, NESTED_MAXIMUM_RDNS)
        .parse();
  }

  /**
   * The attribute values of an RDN, in the order in which they are written.
   *
   * @param rdn one RDN, such as {@link Dn#rdn} gives
   * @throws InvalidDnException if it is not exactly one valid RDN
   */
  public static List<NamingValue> namingValues(Schema schema, byte[] rdn)
      throws InvalidDnException {
    AvaReader reader = new AvaReader(schema, rdn, 0);
    List<NamingValue> values = new ArrayList<>(1);
    do {
      AttributeType type = reader.readType();
      values.add(new NamingValue(type, reader.readValue(type)));
    } while (reader.readSeparator() == '+');
    if (!reader.isAtEnd()) {
      throw reader.invalid("more than one RDN");
    }
    return values;
  }

  private Dn parse() throws InvalidDnException {
    reader.skipSpaces();
    if (reader.isAtEnd()) {
      return Dn.EMPTY;
    }
    int separator;
    do {
      separator = parseRdn();
    } while (separator != AvaReader.END);
    byte[][] normalized = normalizedRdns.toArray(new byte[0][]);
    if (reader.isRewritten()) {
      return rewritten(normalized);
    }
    return new Dn(reader.source(), Arrays.copyOf(rdnEnds, 2 * normalized.length), normalized);
  }

  private int parseRdn() throws InvalidDnException {
    if (normalizedRdns.size() == maximumRdns) {
      throw new InvalidDnException("more than " + maximumRdns + " RDNs");
    }
    reader.skipSpaces();
    int start = reader.position();
    reader.beginRdn();
    int separator;
    do {
      AttributeType type = reader.readType();
      reader.readValue(type, avas);
      separator = reader.readSeparator();
    } while (separator == '+');
    int rdn = normalizedRdns.size();
    if (rdnEnds.length < 2 * rdn + 2) {
      rdnEnds = Arrays.copyOf(rdnEnds, rdnEnds.length * 2);
    }
    rdnEnds[2 * rdn] = start;
    rdnEnds[2 * rdn + 1] = reader.valueEnd();
    normalizedRdns.add(avas.size() == 1 ? avas.getFirst() : join());
    avas.clear();
    return separator;
  }

  private byte[] join() throws InvalidDnException {
    avas.sort(Arrays::compareUnsigned);
    ByteAppender joined = new ByteAppender(64);
    byte[] before = {};
    for (byte[] ava : avas) {
      if (joined.length() > 0) {
        if (isSameType(before, ava)) {
          throw reader.invalid("attribute type twice in one RDN");
        }
        joined.append('+');
      }
      joined.append(ava);
      before = ava;
    }
    return joined.toByteArray();
  }

  private static boolean isSameType(byte[] one, byte[] other) {
    for (int i = 0; i < one.length && i < other.length && one[i] == other[i]; i++) {
      if (one[i] == '=') {
        return true;
      }
    }
    return false;
  }

  private Dn rewritten(byte[][] normalized) throws InvalidDnException {
    byte[] raw = reader.rewritten();
    if (raw.length > maximumLength) {
      throw new InvalidDnException(
          "name of "
              + raw.length
              + " bytes as RFC 4514 writes it, at most "
              + maximumLength
              + " are allowed");
    }
    int[] ends = reader.rewrittenEnds(normalized.length, raw.length);
    return new Dn(raw, ends, normalized);
  }
}
