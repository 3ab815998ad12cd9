package org.nyala.core.access.enforce;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.RulesText;
import org.nyala.core.access.rule.AccessRules;
import org.nyala.core.access.rule.Clause;
import org.nyala.core.access.rule.Condition;
import org.nyala.core.access.rule.Grant;
import org.nyala.core.access.rule.Group;
import org.nyala.core.access.rule.InvalidRulesException;
import org.nyala.core.access.rule.Rule;
import org.nyala.core.access.rule.RulesParser;
import org.nyala.core.access.rule.Source;
import org.nyala.core.access.rule.Where;
import org.nyala.core.backend.AttributeChange;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.dn.InvalidDnException;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.Entry;
import org.nyala.core.message.FilterNode;
import org.nyala.core.provider.AttributeProviders;
import org.nyala.core.rights.Right;
import org.nyala.core.rights.RulesAttribute;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.Schema;

/**
 * The entry that holds the rules of a delegated subtree: {@code cn=access rules} directly below the
 * subtree's top. Each of its values of {@code accessRule} is a text of rules; if there are several,
 * each begins with its place among them, as in <code>{0}to all; others may read</code>.
 *
 * <p>Immutable.
 */
public final class RulesEntry {
  /** The maximum length of all texts of an entry in bytes. */
  static final int MAXIMUM_BYTES = 64 << 10;

  private static final String RDN = "cn=access rules";
  private static final String SPECIFICATION_OID = "2.5.18.6";
  private static final Pattern WHOLE_SUBTREE = Pattern.compile("\\{\\s*}");
  private static final Pattern PLACE = Pattern.compile("\\{(\\d{1,6})}");

  private final Dn top;
  private final Dn name;

  /** A text of rules, and its place among others; negative if it has none. */
  private record Text(int place, RulesParser.Passage passage) {
    static Text of(Dn name, String value) {
      Matcher matcher = PLACE.matcher(value);
      if (!matcher.lookingAt()) {
        return new Text(-1, new RulesParser.Passage(name.toString(), value));
      }
      String source = name + " " + matcher.group();
      return new Text(
          Integer.parseInt(matcher.group(1)),
          new RulesParser.Passage(source, value.substring(matcher.end())));
    }
  }

  private RulesEntry(Dn top, Dn name) {
    this.top = top;
    this.name = name;
  }

  /** Returns the entry of a delegated subtree. */
  static RulesEntry below(Dn top, Schema schema) {
    try {
      return new RulesEntry(top, DnParser.parse(schema, RDN).under(top));
    } catch (InvalidDnException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Returns whether an entry holds rules, or means to. */
  static boolean isHeldBy(Entry entry) {
    for (AttributeDescription description : entry.descriptions()) {
      if (RulesAttribute.isHeldIn(description.type())) {
        return true;
      }
    }
    return false;
  }

  /** Returns whether changes of an entry that holds rules may change what they come to. */
  static boolean isChangedBy(List<AttributeChange> changes) {
    for (AttributeChange change : changes) {
      AttributeType type = change.description().type();
      if (RulesAttribute.isHeldIn(type) || type.oid().equals(SPECIFICATION_OID)) {
        return true;
      }
    }
    return false;
  }

  Dn name() {
    return name;
  }

  /**
   * Reads the rules.
   *
   * @param entry the entry
   * @param file the rules of the file, whose zones and people can be named
   * @param text the bounds of rules
   * @throws InvalidRulesException for the first fault
   */
  List<Rule> read(Entry entry, AccessRules file, RulesText text, Schema schema)
      throws InvalidRulesException {
    List<byte[]> values = values(entry, RulesAttribute.OID);
    if (values.isEmpty()) {
      return List.of();
    }
    for (byte[] value : values(entry, SPECIFICATION_OID)) {
      String specification = new String(value, StandardCharsets.UTF_8).strip();
      if (!WHOLE_SUBTREE.matcher(specification).matches()) {
        throw fault(
            "found a subtreeSpecification, expected {}: rules say themselves what they cover");
      }
    }
    List<RulesParser.Passage> passages = inOrder(values).stream().map(Text::passage).toList();
    List<Rule> rules = RulesParser.parseRules(passages, schema, file, text.delegatedRules());
    DelegationTerms terms = new DelegationTerms(top, schema);
    for (Rule rule : rules) {
      terms.require(rule);
    }
    return rules;
  }

  /** Returns the values of an attribute without options. */
  static List<byte[]> values(Entry entry, String oid) {
    for (AttributeDescription description : entry.descriptions()) {
      if (description.type().oid().equals(oid) && description.options().isEmpty()) {
        List<byte[]> values = entry.values(description);
        return values == null ? List.of() : values;
      }
    }
    return List.of();
  }

  private List<Text> inOrder(List<byte[]> values) throws InvalidRulesException {
    long bytes = 0;
    List<Text> texts = new ArrayList<>(values.size());
    for (byte[] value : values) {
      bytes += value.length;
      if (bytes > MAXIMUM_BYTES) {
        throw fault("found more than " + MAXIMUM_BYTES + " bytes of rules");
      }
      texts.add(Text.of(name, new String(value, StandardCharsets.UTF_8)));
    }
    texts.sort(Comparator.comparingInt(Text::place));
    for (int i = 0; i < texts.size() && texts.size() > 1; i++) {
      int place = texts.get(i).place();
      if (place < 0 || i > 0 && place == texts.get(i - 1).place()) {
        throw fault(
            "found several values, expected each to begin with a place of its own among them, as"
                + " in {0}to all; others may read");
      }
    }
    return texts;
  }

  /** Returns a fault of the entry as a whole. */
  InvalidRulesException fault(String fault) {
    return new InvalidRulesException(new Source(name.toString(), 1, 1), fault);
  }

  /**
   * The terms of a delegation: rules of the subtree say nothing by which their author would find
   * out, or cause work, beyond it. They do not give the right to act as others, ask for no groups
   * outside of the subtree or nested ones but through the people of the file, and not for
   * memberships of entries.
   *
   * <p>Confined to one thread.
   */
  private record DelegationTerms(Dn subtree, Schema schema) {
    /**
     * Requires that a rule keeps to the terms.
     *
     * @throws InvalidRulesException if it does not
     */
    void require(Rule rule) throws InvalidRulesException {
      Where where = rule.target().where();
      if (where != null && asksMemberships(where.filter())) {
        throw new InvalidRulesException(
            rule.source(),
            "found a filter that asks for memberships, which only the file of rules may do");
      }
      for (Clause clause : rule.clauses()) {
        Grant grant = clause.grant();
        if (grant.mode() != Grant.Mode.REMOVE && grant.rights().contains(Right.PROXY)) {
          throw new InvalidRulesException(
              clause.source(), "found 'proxy', a right that only the file of rules gives");
        }
        for (Condition condition : clause.conditions()) {
          if (condition instanceof Condition.InGroup in && !isOfSubtree(in.group())) {
            throw new InvalidRulesException(
                clause.source(),
                "found a group that is nested, has captures or is outside of the subtree: people of"
                    + " the file of rules may be such groups");
          }
        }
      }
    }

    private boolean isOfSubtree(Group group) {
      return !group.isNested() && group.name().isFixed() && group.name().dn().isWithin(subtree);
    }

    private boolean asksMemberships(FilterNode filter) {
      return switch (filter) {
        case FilterNode.And and -> anyAsks(and.nodes());
        case FilterNode.Or or -> anyAsks(or.nodes());
        case FilterNode.Not not -> asksMemberships(not.node());
        case FilterNode.Present item -> isMemberOf(item.attribute());
        case FilterNode.Equality item -> isMemberOf(item.attribute());
        case FilterNode.Approximate item -> isMemberOf(item.attribute());
        case FilterNode.GreaterOrEqual item -> isMemberOf(item.attribute());
        case FilterNode.LessOrEqual item -> isMemberOf(item.attribute());
        case FilterNode.Substrings item -> isMemberOf(item.attribute());
        case FilterNode.Extensible item -> isMemberOf(item.attribute());
      };
    }

    private boolean anyAsks(List<FilterNode> filters) {
      return filters.stream().anyMatch(this::asksMemberships);
    }

    /** Returns whether an attribute is {@code memberOf}, or stands for it with others. */
    private boolean isMemberOf(@Nullable String attribute) {
      if (attribute == null) {
        return true;
      }
      int semicolon = attribute.indexOf(';');
      AttributeType type =
          schema.attributeType(semicolon < 0 ? attribute : attribute.substring(0, semicolon));
      AttributeType memberOf = AttributeProviders.memberships(schema);
      for (AttributeType each = memberOf; each != null; each = each.superior()) {
        if (each.equals(type)) {
          return true;
        }
      }
      return false;
    }
  }
}
