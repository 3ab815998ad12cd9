package org.nyala.core.access.rule;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.nyala.core.backend.ReferenceFilter;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.dn.InvalidDnException;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.Entry;
import org.nyala.core.filter.Ternary;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.MatchingRule;
import org.nyala.core.schema.Normalizer;
import org.nyala.core.schema.ObjectClass;
import org.nyala.core.schema.Schema;

/** Entries as maps, and what the schema says about their names and values. */
public final class PlainDirectory {
  private final Schema schema;
  private final Map<List<String>, PlainEntry> entries = new HashMap<>();

  /**
   * An entry.
   *
   * @param name its name
   * @param attributes values by the attribute's description
   */
  public record PlainEntry(String name, Map<String, List<String>> attributes) {}

  /** Creates a directory. */
  public PlainDirectory(Schema schema, Collection<PlainEntry> entries) {
    this.schema = schema;
    entries.forEach(entry -> this.entries.put(rdns(entry.name()), entry));
  }

  /** Returns whether a user is a member of a group, whose name is given. */
  public boolean isMember(String user, List<String> name, Group group) {
    return isMember(user, name, group, new HashSet<>());
  }

  boolean matches(Where where, PlainEntry plain) {
    Entry entry = new Entry(dn(plain.name()));
    plain
        .attributes()
        .forEach(
            (attribute, values) ->
                values.forEach(value -> entry.add(description(attribute), bytes(value))));
    ReferenceFilter filters = new ReferenceFilter(schema, _ -> true, List.of(entry));
    return filters.value(where.filter(), entry) == Ternary.TRUE;
  }

  private boolean isMember(String user, List<String> name, Group group, Set<List<String>> seen) {
    PlainEntry entry = entries.get(name);
    if (!seen.add(name) || entry == null || !hasClass(entry, group.objectClass())) {
      return false;
    }
    if (isListed(user, entry, group.member())) {
      return true;
    }
    return group.isNested()
        && values(entry, group.member()).keySet().stream()
            .filter(this::isName)
            .anyMatch(member -> isMember(user, rdns(member), group, seen));
  }

  private boolean hasClass(PlainEntry entry, ObjectClass wanted) {
    return wanted == null
        || values(entry, schema.attributeType("objectClass")).keySet().stream()
            .anyMatch(name -> schema.objectClass(name).isOrExtends(wanted));
  }

  boolean isListed(String user, PlainEntry entry, AttributeType attribute) {
    return values(entry, attribute).entrySet().stream()
        .anyMatch(value -> areEqual(value.getValue(), value.getKey(), user));
  }

  /** The values of an attribute and its subtypes, each with its type. */
  private Map<String, AttributeType> values(PlainEntry entry, AttributeType attribute) {
    Map<String, AttributeType> values = new LinkedHashMap<>();
    entry
        .attributes()
        .forEach(
            (name, each) -> {
              AttributeType type = description(name).type();
              if (isBelow(type, attribute)) {
                each.forEach(value -> values.put(value, type));
              }
            });
    return values;
  }

  static boolean isBelow(AttributeDescription one, AttributeDescription other) {
    for (String option : other.options()) {
      boolean isRange = option.endsWith("-");
      String whole = isRange ? option.substring(0, option.length() - 1) : option;
      boolean isThere =
          one.options().stream()
              .anyMatch(each -> each.equals(whole) || isRange && each.startsWith(option));
      if (!isThere) {
        return false;
      }
    }
    return isBelow(one.type(), other.type());
  }

  static boolean isBelow(AttributeType one, AttributeType other) {
    return one.equals(other) || one.superior() != null && isBelow(one.superior(), other);
  }

  static boolean belongsTo(AttributeType type, ObjectClass objectClass) {
    Set<AttributeType> own = new HashSet<>(objectClass.must());
    own.addAll(objectClass.may());
    return own.stream().anyMatch(each -> isBelow(type, each))
        || objectClass.superiors().stream().anyMatch(each -> belongsTo(type, each));
  }

  static boolean areEqual(AttributeType type, String one, String other) {
    MatchingRule rule = type.equality();
    byte[] stored = rule == null ? null : normalized(rule.valueNormalizer(), bytes(one));
    byte[] asserted = rule == null ? null : normalized(rule.assertionNormalizer(), bytes(other));
    return stored != null && asserted != null && rule.matches(stored, stored.length, asserted);
  }

  private static byte[] normalized(Normalizer normalizer, byte[] value) {
    ByteAppender target = new ByteAppender(16);
    return normalizer.normalize(value, 0, value.length, target) ? target.toByteArray() : null;
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  AttributeDescription description(String attribute) {
    AttributeDescription description = AttributeDescription.parse(schema, attribute);
    if (description == null) {
      throw new IllegalArgumentException("no attribute " + attribute);
    }
    return description;
  }

  boolean isName(String text) {
    try {
      DnParser.parse(schema, text);
      return true;
    } catch (InvalidDnException _) {
      return false;
    }
  }

  private Dn dn(String name) {
    try {
      return DnParser.parse(schema, name);
    } catch (InvalidDnException e) {
      throw new IllegalArgumentException(name, e);
    }
  }

  List<String> rdns(String name) {
    return normalized(dn(name));
  }

  /** The normalised RDNs of a name, the entry's own first. */
  public static List<String> normalized(Dn dn) {
    String[] rdns = new String[dn.rdnCount()];
    for (int i = 0; i < rdns.length; i++) {
      rdns[i] = new String(dn.normalizedRdn(i), StandardCharsets.UTF_8);
    }
    return Arrays.asList(rdns);
  }
}
