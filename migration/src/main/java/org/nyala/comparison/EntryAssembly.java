package org.nyala.comparison;

import com.unboundid.ldap.sdk.DN;
import com.unboundid.ldap.sdk.LDAPException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.dn.InvalidDnException;
import org.nyala.core.limits.ServerLimits.RequestLimits;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.MatchingRule;
import org.nyala.core.schema.ObjectClass;
import org.nyala.core.schema.Schema;
import org.nyala.error.ErrorMessages;

/**
 * Makes entries comparable, wherever they come from. Names of entries, as values too, and of
 * attributes and classes are equal if they mean the same by the schema; all other values are equal
 * if their bytes are. Repeated values count once.
 *
 * <p>Confined to one thread.
 */
public final class EntryAssembly {
  /** The rule uniqueMemberMatch, for names with an optional bit string (RFC 4517, section 4.2). */
  private static final String UNIQUE_MEMBER_MATCH = "2.5.13.23";

  private final Schema schema;
  private final RequestLimits limits;
  private final AttributeMeanings meanings;
  private final @Nullable MatchingRule nameAndUid;
  private final ByteAppender scratch = new ByteAppender(256);
  private Map<String, List<byte[]>> attributes = new TreeMap<>();
  private EntryName entryName = new EntryName("", "", null);

  /**
   * A name of an entry.
   *
   * @param text the form in which names are equal
   * @param dn parsed, if the schema has its types
   */
  record EntryName(String shown, String text, @Nullable Dn dn) {}

  /**
   * Prepares for entries.
   *
   * @param limits the bounds of names that a data directory did not accept
   * @param isOperational true if operational attributes count, but for those that each server
   *     computes
   * @param except names of attributes that do not count, in any spelling; one with options stands
   *     for values with just these
   */
  public EntryAssembly(
      Schema schema, RequestLimits limits, boolean isOperational, Collection<String> except) {
    this.schema = schema;
    this.limits = limits;
    this.meanings = new AttributeMeanings(schema, isOperational, except);
    this.nameAndUid = schema.matchingRule(UNIQUE_MEMBER_MATCH);
  }

  /** Returns whether operational attributes count. */
  boolean isOperational() {
    return meanings.isOperational();
  }

  /** Returns the names that do not count, of which neither schema nor entries have any. */
  public List<String> unusedExceptions() {
    return meanings.unused();
  }

  /**
   * Begins an entry.
   *
   * @throws IOException if its name is none, or is beyond the limits
   */
  void begin(byte[] dn) throws IOException {
    begin(name(dn, limits.dnLength(), limits.dnRdns()));
  }

  /**
   * Begins an entry of a data directory, however long its name is.
   *
   * @throws IOException if its name is none
   */
  void beginStored(byte[] dn) throws IOException {
    begin(name(dn, Integer.MAX_VALUE, Integer.MAX_VALUE));
  }

  private void begin(EntryName name) {
    entryName = name;
    attributes = new TreeMap<>();
  }

  /**
   * Parses the name of the entry at the top of what is compared.
   *
   * @throws IOException if it is none
   */
  EntryName base(String dn) throws IOException {
    try {
      return name(dn.getBytes(StandardCharsets.UTF_8), limits.dnLength(), limits.dnRdns());
    } catch (IOException e) {
      throw new IOException("--base: " + ErrorMessages.line(e), e);
    }
  }

  /**
   * Returns whether the entry is at or below another one.
   *
   * @throws IOException if that cannot be told
   */
  boolean isWithin(EntryName top) throws IOException {
    if (top.dn != null && entryName.dn != null) {
      return entryName.dn.isWithin(top.dn);
    }
    try {
      return DN.isDescendantOf(entryName.shown, top.shown, true);
    } catch (LDAPException e) {
      throw new IOException(ErrorMessages.printable(ErrorMessages.line(e)), e);
    }
  }

  /**
   * Adds a value, if it counts. The array is kept.
   *
   * @param description the attribute, in any spelling
   */
  void add(String description, byte[] value) {
    AttributeMeanings.Meaning meaning = meanings.of(description);
    if (meaning.counts()) {
      attributes.computeIfAbsent(meaning.name(), _ -> new ArrayList<>()).add(form(meaning, value));
    }
  }

  ComparedEntry end() {
    attributes.replaceAll((_, values) -> sorted(values));
    return new ComparedEntry(
        ComparedEntry.key(entryName.text), entryName.shown, entryName.text, attributes);
  }

  private static List<byte[]> sorted(List<byte[]> values) {
    values.sort(Arrays::compare);
    List<byte[]> distinct = new ArrayList<>(values.size());
    for (byte[] value : values) {
      if (distinct.isEmpty() || !Arrays.equals(distinct.getLast(), value)) {
        distinct.add(value);
      }
    }
    return distinct;
  }

  private EntryName name(byte[] dn, int mostBytes, int mostRdns) throws IOException {
    if (dn.length > mostBytes) {
      throw new IOException(
          "name of " + dn.length + " bytes, at most " + mostBytes + " are allowed");
    }
    String text = new String(dn, StandardCharsets.UTF_8);
    Dn parsed = parse(dn, mostBytes, mostRdns);
    if (parsed != null) {
      // One character for each byte: normal forms need not be text.
      String normal = new String(parsed.normalized(), StandardCharsets.ISO_8859_1);
      return new EntryName(text, normal, parsed);
    }
    try {
      DN other = new DN(text);
      int rdns = other.getRDNs().length;
      if (rdns > mostRdns) {
        throw new IOException("name of " + rdns + " RDNs, at most " + mostRdns + " are allowed");
      }
      return new EntryName(text, other.toNormalizedString(), null);
    } catch (LDAPException e) {
      throw new IOException("'" + ErrorMessages.printable(text) + "' is no name of an entry", e);
    }
  }

  private @Nullable Dn parse(byte[] dn, int mostBytes, int mostRdns) {
    try {
      return DnParser.parse(schema, dn, mostBytes, mostRdns);
    } catch (InvalidDnException _) {
      return null;
    }
  }

  private byte[] form(AttributeMeanings.Meaning meaning, byte[] value) {
    return switch (meaning.kind()) {
      case NAME -> {
        Dn dn = parse(value, limits.dnLength(), limits.dnRdns());
        yield dn == null ? value : dn.normalized();
      }
      case NAME_AND_UID -> nameAndUid(value);
      case OID -> className(value);
      case OTHER -> value;
    };
  }

  private byte[] nameAndUid(byte[] value) {
    MatchingRule rule = nameAndUid;
    return rule != null
            && value.length <= limits.dnLength()
            && rule.valueNormalizer().normalize(value, 0, value.length, scratch.clear())
        ? scratch.toByteArray()
        : value;
  }

  private byte[] className(byte[] value) {
    String text = new String(value, StandardCharsets.ISO_8859_1);
    ObjectClass known = schema.objectClass(text);
    return (known == null ? text : known.name())
        .toLowerCase(Locale.ROOT)
        .getBytes(StandardCharsets.ISO_8859_1);
  }

  /**
   * The meanings of descriptions of attributes, in any spelling: the form without aliases, the kind
   * of values, and whether they count.
   *
   * <p>Confined to one thread.
   */
  private static final class AttributeMeanings {
    /** The number of spellings that are remembered: a file may have any number of them. */
    private static final int MOST_NAMES = 10_000;

    /** The characters of one that is remembered. */
    private static final int LONGEST_NAME = 200;

    /** The kinds of values, by the syntax of their type (RFC 4517, section 3.3). */
    enum Kind {
      NAME("1.3.6.1.4.1.1466.115.121.1.12"),
      NAME_AND_UID("1.3.6.1.4.1.1466.115.121.1.34"),
      OID("1.3.6.1.4.1.1466.115.121.1.38"),
      OTHER("");

      private final String syntax;

      Kind(String syntax) {
        this.syntax = syntax;
      }

      private static Kind of(AttributeType type) {
        for (Kind each : values()) {
          if (each.syntax.equals(type.syntax().oid())) {
            return each;
          }
        }
        return OTHER;
      }
    }

    /**
     * The meaning of a description.
     *
     * @param name its form in lower case without aliases, with options in order; empty if it does
     *     not count
     */
    record Meaning(String name, Kind kind) {
      boolean counts() {
        return !name.isEmpty();
      }
    }

    private final Schema schema;
    private final boolean isOperational;
    private final Set<String> except = new HashSet<>();

    /** Those that were left out of no entry and are no types of the schema, as they were given. */
    private final Map<String, String> unused = new LinkedHashMap<>();

    private final Map<String, Meaning> known = new HashMap<>();

    /**
     * Takes what does not count.
     *
     * @param isOperational true if operational attributes count
     * @param except types, which are left out with all options, and descriptions with options
     */
    AttributeMeanings(Schema schema, boolean isOperational, Collection<String> except) {
      this.schema = schema;
      this.isOperational = isOperational;
      for (String each : except) {
        String name = normal(each.strip());
        this.except.add(name);
        if (schema.attributeType(name) == null) {
          unused.put(name, each.strip());
        }
      }
    }

    /** Returns whether operational attributes count. */
    boolean isOperational() {
      return isOperational;
    }

    /** Returns the exceptions that neither the schema nor an entry that was read has. */
    List<String> unused() {
      return List.copyOf(unused.values());
    }

    Meaning of(String description) {
      Meaning found = known.get(description);
      if (found != null) {
        return found;
      }
      Meaning read = read(description);
      if (description.length() <= LONGEST_NAME) {
        if (known.size() == MOST_NAMES) {
          known.clear();
        }
        known.put(description, read);
      }
      return read;
    }

    private Meaning read(String description) {
      String name = normal(description);
      int options = name.indexOf(';');
      String typeName = options < 0 ? name : name.substring(0, options);
      AttributeType type = schema.attributeType(typeName);
      boolean isOut = except.contains(typeName) || except.contains(name);
      unused.remove(typeName);
      unused.remove(name);
      boolean counts =
          !isOut
              && !ServerComparison.COMPUTED.contains(typeName)
              && (isOperational || type == null || !type.isOperational());
      return new Meaning(counts ? name : "", type == null ? Kind.OTHER : Kind.of(type));
    }

    private String normal(String description) {
      String[] parts = description.toLowerCase(Locale.ROOT).split(";", -1);
      AttributeType type = schema.attributeType(parts[0]);
      String name = type == null ? parts[0] : type.name().toLowerCase(Locale.ROOT);
      Set<String> options = new TreeSet<>(List.of(parts).subList(1, parts.length));
      return options.isEmpty() ? name : name + ';' + String.join(";", options);
    }
  }
}
