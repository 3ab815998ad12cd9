package org.nyala.core.access.rule;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.dn.InvalidDnException;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.Schema;

/**
 * A distinguished name in which captures may stand for values: {@code
 * uid={u},ou=people,dc=example,dc=com}. A capture is the whole value of an RDN that has one value.
 * In a target it fits any value; in a clause it is the value that it has in the target. <code>{*}
 * </code> stands for any value in both, may be there several times and has no name.
 *
 * <p>Immutable. A brace that is meant as such, before a letter or an asterisk, is written {@code
 * \7b}.
 */
public final class DnPattern {
  /** The reason why names of slapd's rules are not taken over. */
  public static final String NOT_WRITTEN =
      "not a name that a rule can have, where a captured value stands for the whole value of an"
          + " RDN";

  /** The text in braces that stands for any value. */
  private static final String ANY = "*";

  private static final Pattern CAPTURE = Pattern.compile("\\{([A-Za-z][A-Za-z0-9]*|\\*)}");
  private static final Pattern BRACE = Pattern.compile("\\{(?=[A-Za-z*])");

  private final Dn dn;

  /** For each RDN the name of its capture, {@link #ANY}, or null. */
  private final @Nullable String[] names;

  /** The types of the captures that have names. */
  private final List<AttributeType> types;

  private DnPattern(Dn dn, @Nullable String[] names, List<AttributeType> types) {
    this.dn = dn;
    this.names = names;
    this.types = List.copyOf(types);
  }

  /** Returns the pattern of exactly one name: what looks like a capture there is none. */
  public static DnPattern of(Dn dn) {
    return new DnPattern(dn, new @Nullable String[dn.rdnCount()], List.of());
  }

  /**
   * Reads a name with captures.
   *
   * @throws InvalidDnException if it is not a name, or if a capture is not a whole value, is there
   *     twice, or is in a name that is not written as RFC 4514 does
   */
  public static DnPattern parse(Schema schema, String text) throws InvalidDnException {
    Dn dn = DnParser.parse(schema, text);
    @Nullable String[] names = new @Nullable String[dn.rdnCount()];
    List<AttributeType> types = new ArrayList<>();
    boolean isFixed = true;
    for (int i = 0; i < names.length; i++) {
      String rdn = new String(dn.rdn(i), StandardCharsets.UTF_8);
      if (BRACE.matcher(rdn).find()) {
        String name = captureOf(rdn);
        boolean isAny = name.equals(ANY);
        if (!isAny && Arrays.asList(names).contains(name)) {
          throw new InvalidDnException("the capture {" + name + "} is there twice");
        }
        names[i] = name;
        isFixed = false;
        if (!isAny) {
          types.add(DnParser.namingValues(schema, dn.rdn(i)).getFirst().type());
        }
      }
    }
    if (!isFixed && !dn.toString().equals(text)) {
      throw new InvalidDnException("a name with captures has no spaces around = and no quotes");
    }
    return new DnPattern(dn, names, types);
  }

  private static String captureOf(String rdn) throws InvalidDnException {
    Matcher capture = CAPTURE.matcher(rdn.substring(rdn.indexOf('=') + 1).strip());
    if (!capture.matches()) {
      throw new InvalidDnException(
          "a capture has to be the only value of its RDN, which '"
              + rdn
              + "' does not show; a brace that is meant as such is \\7b");
    }
    return capture.group(1);
  }

  /** The name as it is written, captures included; itself meant only if {@link #isFixed()}. */
  public Dn dn() {
    return dn;
  }

  /** Returns whether there is no capture and no <code>{*}</code>, so that one name is meant. */
  public boolean isFixed() {
    return types.isEmpty() && !hasAny();
  }

  /** Returns whether there is a <code>{*}</code>. */
  public boolean hasAny() {
    return Arrays.asList(names).contains(ANY);
  }

  /** The names of the captures, from the entry's own RDN upwards; none for <code>{*}</code>. */
  public List<String> captures() {
    List<String> captures = new ArrayList<>(types.size());
    for (String name : names) {
      if (name != null && !name.equals(ANY)) {
        captures.add(name);
      }
    }
    return captures;
  }

  /** The name of the capture at an RDN; null if the RDN is fixed or may have any value. */
  public @Nullable String captureAt(int rdn) {
    return isFixedAt(rdn) || ANY.equals(names[rdn]) ? null : names[rdn];
  }

  /** Returns whether an RDN is written out, without a capture or <code>{*}</code>. */
  public boolean isFixedAt(int rdn) {
    return names[rdn] == null;
  }

  /** The attribute type whose value a capture is, or null if there is no such capture. */
  public @Nullable AttributeType typeOf(String capture) {
    int index = captures().indexOf(capture);
    return index < 0 ? null : types.get(index);
  }

  /** The start of normalised RDNs that fit where the RDN is not fixed, such as {@code uid=}. */
  public byte[] prefixAt(int rdn) {
    byte[] written = dn.normalizedRdn(rdn);
    int length = 0;
    while (written[length] != '=') {
      length++;
    }
    return Arrays.copyOf(written, length + 1);
  }

  /** Throws an {@link IllegalArgumentException} unless one name is meant. */
  void requireFixed() {
    if (!isFixed()) {
      throw new IllegalArgumentException("not one name: " + this);
    }
  }

  /** Throws an {@link IllegalArgumentException} if there is a capture with a name. */
  void requireNoCaptures() {
    if (!types.isEmpty()) {
      throw new IllegalArgumentException("captures without a target in " + this);
    }
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof DnPattern that
        && dn.equals(that.dn)
        && Arrays.equals(names, that.names);
  }

  @Override
  public int hashCode() {
    return 31 * dn.hashCode() + Arrays.hashCode(names);
  }

  /** The text that {@link #parse} reads as this pattern, in one line. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < names.length; i++) {
      String rdn = new String(dn.rdn(i), StandardCharsets.UTF_8);
      text.append(i == 0 ? "" : ",");
      text.append(names[i] != null ? rdn : BRACE.matcher(rdn).replaceAll("\\\\7b"));
    }
    return text.toString().replace("\n", "\\0a").replace("\r", "\\0d");
  }
}
