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
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.dn.InvalidDnException;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.schema.AttributeType;
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
  private static final String DN_SYNTAX = "1.3.6.1.4.1.1466.115.121.1.12";
  private static final String OID_SYNTAX = "1.3.6.1.4.1.1466.115.121.1.38";

  /** The number of spellings that are remembered: a file may have any number of them. */
  private static final int MOST_NAMES = 10_000;

  private final Schema schema;
  private final boolean isOperational;
  private final Set<String> except = new HashSet<>();
  private final Map<String, Meaning> meanings = new HashMap<>();
  private Map<String, List<byte[]>> attributes = new TreeMap<>();
  private String shownDn = "";
  private EntryName entryName = new EntryName("", null);

  /** The meaning of an attribute's description: its form without aliases, empty if none counts. */
  private record Meaning(String name, boolean isDn, boolean isOid) {}

  /** A name in the form in which names are equal; parsed, if the schema has its types. */
  private record EntryName(String text, @Nullable Dn dn) {}

  /**
   * Prepares for entries.
   *
   * @param isOperational true if operational attributes count, but for those that each server
   *     computes
   * @param except names of attributes that do not count, in any spelling
   */
  public EntryAssembly(Schema schema, boolean isOperational, Collection<String> except) {
    this.schema = schema;
    this.isOperational = isOperational;
    for (String each : except) {
      this.except.add(typeName(each.strip()));
    }
  }

  /** Returns whether operational attributes count. */
  boolean isOperational() {
    return isOperational;
  }

  Schema schema() {
    return schema;
  }

  /**
   * Begins an entry.
   *
   * @throws IOException if its name is none
   */
  void begin(byte[] dn) throws IOException {
    shownDn = new String(dn, StandardCharsets.UTF_8);
    entryName = name(dn);
    attributes = new TreeMap<>();
  }

  /**
   * Returns whether the entry is at or below another one.
   *
   * @throws IOException if that one's name is none
   */
  boolean isWithin(String base) throws IOException {
    EntryName top = name(base.getBytes(StandardCharsets.UTF_8));
    if (top.dn != null && entryName.dn != null) {
      return entryName.dn.isWithin(top.dn);
    }
    try {
      return DN.isDescendantOf(shownDn, base, true);
    } catch (LDAPException e) {
      throw new IOException(ErrorMessages.line(e), e);
    }
  }

  /**
   * Adds a value, if it counts. The array is kept.
   *
   * @param description the attribute, in any spelling
   */
  void add(String description, byte[] value) {
    Meaning meaning = meaning(description);
    if (!meaning.name.isEmpty()) {
      attributes.computeIfAbsent(meaning.name, _ -> new ArrayList<>()).add(form(meaning, value));
    }
  }

  /** Ends the entry. */
  ComparedEntry end() {
    attributes.replaceAll((_, values) -> sorted(values));
    return new ComparedEntry(
        ComparedEntry.key(entryName.text), shownDn, entryName.text, attributes);
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

  private EntryName name(byte[] dn) throws IOException {
    Dn parsed = parse(dn);
    if (parsed != null) {
      // One character for each byte: normal forms need not be text.
      return new EntryName(new String(parsed.normalized(), StandardCharsets.ISO_8859_1), parsed);
    }
    String text = new String(dn, StandardCharsets.UTF_8);
    try {
      return new EntryName(DN.normalize(text), null);
    } catch (LDAPException e) {
      throw new IOException("'" + text + "' is no name of an entry", e);
    }
  }

  private @Nullable Dn parse(byte[] dn) {
    try {
      return DnParser.parse(schema, dn, Integer.MAX_VALUE, Integer.MAX_VALUE);
    } catch (InvalidDnException _) {
      return null;
    }
  }

  private byte[] form(Meaning meaning, byte[] value) {
    if (meaning.isOid) {
      String text = new String(value, StandardCharsets.ISO_8859_1);
      ObjectClass known = schema.objectClass(text);
      return (known == null ? text : known.name())
          .toLowerCase(Locale.ROOT)
          .getBytes(StandardCharsets.ISO_8859_1);
    }
    Dn dn = meaning.isDn ? parse(value) : null;
    return dn == null ? value : dn.normalized();
  }

  private Meaning meaning(String description) {
    Meaning known = meanings.get(description);
    if (known != null) {
      return known;
    }
    if (meanings.size() == MOST_NAMES) {
      meanings.clear();
    }
    Meaning read = read(description);
    meanings.put(description, read);
    return read;
  }

  private Meaning read(String description) {
    AttributeDescription parsed = AttributeDescription.parse(schema, description);
    if (parsed == null) {
      String[] parts = description.toLowerCase(Locale.ROOT).split(";", -1);
      Set<String> options = new TreeSet<>(List.of(parts).subList(1, parts.length));
      String name = options.isEmpty() ? parts[0] : parts[0] + ';' + String.join(";", options);
      return new Meaning(isLeftOut(parts[0]) ? "" : name, false, false);
    }
    AttributeType type = parsed.type();
    String name = parsed.name().toLowerCase(Locale.ROOT);
    boolean isOut = isLeftOut(typeName(type.name())) || !isOperational && type.isOperational();
    return new Meaning(
        isOut ? "" : name,
        type.syntax().oid().equals(DN_SYNTAX),
        type.syntax().oid().equals(OID_SYNTAX));
  }

  private boolean isLeftOut(String typeName) {
    return except.contains(typeName) || ServerComparison.COMPUTED.contains(typeName);
  }

  private String typeName(String name) {
    AttributeType type = schema.attributeType(name);
    return (type == null ? name : type.name()).toLowerCase(Locale.ROOT);
  }
}
