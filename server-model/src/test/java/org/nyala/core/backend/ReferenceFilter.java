package org.nyala.core.backend;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.dn.InvalidDnException;
import org.nyala.core.dn.NamingValue;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.Entry;
import org.nyala.core.filter.AttributeSelection;
import org.nyala.core.filter.Ternary;
import org.nyala.core.message.FilterNode;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.MatchingRule;
import org.nyala.core.schema.Normalizer;
import org.nyala.core.schema.ObjectClass;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.SubstringPiece;

/**
 * Evaluates filters by the letter of RFC 4511, section 4.5.1.7, over entries as objects: slow, and
 * sharing only the rules' normalisers with compiled filters.
 */
public final class ReferenceFilter {
  private final Schema schema;
  private final AttributeSelection.Visibility visibility;
  private final List<Entry> entries;

  /** Creates an evaluator for the entries of a directory. */
  public ReferenceFilter(
      Schema schema, AttributeSelection.Visibility visibility, List<Entry> entries) {
    this.schema = schema;
    this.visibility = visibility;
    this.entries = entries;
  }

  /** Returns the value of a filter for an entry. */
  public Ternary value(FilterNode filter, Entry entry) {
    return switch (filter) {
      case FilterNode.And and ->
          and.nodes().stream()
              .map(node -> value(node, entry))
              .min(Ternary::compareTo)
              .orElse(Ternary.TRUE);
      case FilterNode.Or or ->
          or.nodes().stream()
              .map(node -> value(node, entry))
              .max(Ternary::compareTo)
              .orElse(Ternary.FALSE);
      case FilterNode.Not not -> value(not.node(), entry).not();
      case FilterNode.Equality item -> equality(item.attribute(), item.value(), entry);
      case FilterNode.Approximate item -> equality(item.attribute(), item.value(), entry);
      case FilterNode.GreaterOrEqual item -> order(item.attribute(), item.value(), entry, 1);
      case FilterNode.LessOrEqual item -> order(item.attribute(), item.value(), entry, -1);
      case FilterNode.Present item -> present(item.attribute(), entry);
      case FilterNode.Substrings item -> substrings(item, entry);
      case FilterNode.Extensible item -> extensible(item, entry);
    };
  }

  private AttributeDescription visible(String attribute) {
    AttributeDescription description = AttributeDescription.parse(schema, attribute);
    return description != null && visibility.isVisible(description.type()) ? description : null;
  }

  private List<byte[]> values(AttributeDescription wanted, Entry entry) {
    List<byte[]> values = new ArrayList<>();
    for (AttributeDescription description : entry.descriptions()) {
      boolean below = false;
      for (AttributeType type = description.type(); type != null; type = type.superior()) {
        below |= type.oid().equals(wanted.type().oid());
      }
      if (below && description.options().containsAll(wanted.options())) {
        values.addAll(entry.values(description));
      }
    }
    switch (wanted.type().name()) {
      case "entryDN" -> values.add(entry.dn().raw());
      case "hasSubordinates" -> values.add(bytes(hasChild(entry) ? "TRUE" : "FALSE"));
      case "subschemaSubentry" -> values.add(bytes("cn=Subschema"));
      default -> {}
    }
    return values;
  }

  private boolean hasChild(Entry entry) {
    return entries.stream()
        .anyMatch(other -> other != entry && other.dn().parent().equals(entry.dn()));
  }

  private Ternary present(String attribute, Entry entry) {
    AttributeDescription description = visible(attribute);
    return description == null
        ? Ternary.UNDEFINED
        : Ternary.of(!values(description, entry).isEmpty());
  }

  private Ternary equality(String attribute, byte[] value, Entry entry) {
    AttributeDescription description = visible(attribute);
    if (description != null && description.name().equals("objectClass")) {
      return objectClass(value, values(description, entry));
    }
    MatchingRule rule = description == null ? null : description.type().equality();
    return rule == null ? Ternary.UNDEFINED : any(rule, value, values(description, entry));
  }

  /** Entries belong to the superclasses of their classes (RFC 4512, section 3.3). */
  private Ternary objectClass(byte[] value, List<byte[]> values) {
    ObjectClass wanted = objectClass(value);
    if (wanted == null) {
      return Ternary.UNDEFINED;
    }
    boolean found = wanted.name().equals("top");
    for (byte[] each : values) {
      ObjectClass known = objectClass(each);
      found |= known != null && known.isOrExtends(wanted);
    }
    return Ternary.of(found);
  }

  private ObjectClass objectClass(byte[] value) {
    return schema.objectClass(new String(value, StandardCharsets.UTF_8));
  }

  private static Ternary any(MatchingRule rule, byte[] value, List<byte[]> values) {
    byte[] assertion = assertion(rule, value);
    if (assertion == null) {
      return Ternary.UNDEFINED;
    }
    boolean found = false;
    for (byte[] stored : values) {
      byte[] candidate = normalized(rule.valueNormalizer(), stored);
      if (candidate != null) {
        found |=
            rule.use() == MatchingRule.Use.ORDERING
                ? Arrays.compareUnsigned(candidate, assertion) < 0
                : rule.matches(candidate, candidate.length, assertion);
      }
    }
    return Ternary.of(found);
  }

  private Ternary order(String attribute, byte[] value, Entry entry, int direction) {
    AttributeDescription description = visible(attribute);
    MatchingRule rule = description == null ? null : description.type().ordering();
    byte[] assertion = rule == null ? null : assertion(rule, value);
    if (assertion == null) {
      return Ternary.UNDEFINED;
    }
    boolean found = false;
    for (byte[] stored : values(description, entry)) {
      byte[] candidate = normalized(rule.valueNormalizer(), stored);
      found |= candidate != null && Arrays.compareUnsigned(candidate, assertion) * direction >= 0;
    }
    return Ternary.of(found);
  }

  private Ternary substrings(FilterNode.Substrings item, Entry entry) {
    AttributeDescription description = visible(item.attribute());
    MatchingRule rule = description == null ? null : description.type().substrings();
    if (rule == null || isComputed(description)) {
      return Ternary.UNDEFINED;
    }
    String initial = piece(rule, SubstringPiece.INITIAL, item.initial());
    String last = piece(rule, SubstringPiece.FINAL, item.last());
    List<String> any = new ArrayList<>();
    for (byte[] piece : item.any()) {
      any.add(piece(rule, SubstringPiece.ANY, piece));
    }
    if (initial == null || last == null || any.contains(null)) {
      return Ternary.UNDEFINED;
    }
    boolean nothing = initial.isEmpty() && last.isEmpty() && String.join("", any).isEmpty();
    boolean found = false;
    for (byte[] stored : values(description, entry)) {
      byte[] candidate = normalized(rule.valueNormalizer(), stored);
      found |= nothing || candidate != null && matches(text(candidate), initial, any, last);
    }
    return Ternary.of(found);
  }

  private static boolean matches(String value, String initial, List<String> any, String last) {
    if (!value.startsWith(initial)) {
      return false;
    }
    String rest = value.substring(initial.length());
    for (String piece : any) {
      int at = rest.indexOf(piece);
      if (at < 0) {
        return false;
      }
      rest = rest.substring(at + piece.length());
    }
    return rest.endsWith(last);
  }

  private static String piece(MatchingRule rule, SubstringPiece kind, byte[] piece) {
    if (piece == null) {
      return "";
    }
    ByteAppender target = new ByteAppender(16);
    boolean valid =
        rule.assertionNormalizer().normalizeSubstring(kind, piece, 0, piece.length, target);
    return valid ? text(target.toByteArray()) : null;
  }

  private Ternary extensible(FilterNode.Extensible item, Entry entry) {
    AttributeDescription description = null;
    if (item.attribute() != null) {
      description = visible(item.attribute());
      if (description == null) {
        return Ternary.UNDEFINED;
      }
    }
    MatchingRule rule =
        item.rule() == null
            ? description == null ? null : description.type().equality()
            : schema.matchingRule(item.rule());
    if (rule == null
        || rule.use() == MatchingRule.Use.SUBSTRINGS
        || description != null && !applies(rule, description.type())) {
      return Ternary.UNDEFINED;
    }
    List<byte[]> values = new ArrayList<>();
    if (description != null) {
      values.addAll(values(description, entry));
    } else {
      for (AttributeDescription each : entry.descriptions()) {
        if (applies(rule, each.type()) && visibility.isVisible(each.type())) {
          values.addAll(entry.values(each));
        }
      }
    }
    if (item.dnAttributes() && !isComputed(description)) {
      values.addAll(namingValues(rule, description, entry.dn()));
    }
    return any(rule, item.value(), values);
  }

  private static boolean isComputed(AttributeDescription description) {
    return description != null
        && List.of("entryDN", "hasSubordinates", "subschemaSubentry")
            .contains(description.type().name());
  }

  private List<byte[]> namingValues(MatchingRule rule, AttributeDescription wanted, Dn dn) {
    List<byte[]> values = new ArrayList<>();
    for (int i = 0; i < dn.rdnCount(); i++) {
      try {
        for (NamingValue value : DnParser.namingValues(schema, dn.rdn(i))) {
          boolean selected =
              wanted == null
                  ? applies(rule, value.type()) && visibility.isVisible(value.type())
                  : AttributeDescription.of(value.type()).isSubtypeOf(wanted);
          if (selected) {
            values.add(value.value());
          }
        }
      } catch (InvalidDnException e) {
        throw new IllegalStateException(e);
      }
    }
    return values;
  }

  /**
   * Returns whether a rule applies to a type: its own attributes, those of its syntax, and as a
   * text rule all text.
   */
  private static boolean applies(MatchingRule rule, AttributeType type) {
    String text = "1.3.6.1.4.1.1466.115.121.1.";
    String syntax = type.syntax().oid();
    boolean bothText =
        rule.syntaxOid().equals(text + "15")
            && List.of(text + "11", text + "26", text + "36", text + "44", text + "50")
                .contains(syntax);
    return rule == type.equality()
        || rule == type.ordering()
        || rule.syntaxOid().equals(syntax)
        || bothText;
  }

  private static byte[] assertion(MatchingRule rule, byte[] value) {
    return rule.acceptsAssertion(value) ? normalized(rule.assertionNormalizer(), value) : null;
  }

  private static byte[] normalized(Normalizer normalizer, byte[] value) {
    ByteAppender target = new ByteAppender(16);
    return normalizer.normalize(value, 0, value.length, target) ? target.toByteArray() : null;
  }

  private static String text(byte[] value) {
    return new String(value, StandardCharsets.ISO_8859_1);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
