package org.nyala.core.rights;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.RulesText;
import org.nyala.core.access.rule.AccessRules;
import org.nyala.core.access.rule.InvalidRulesException;
import org.nyala.core.access.rule.Rule;
import org.nyala.core.access.rule.RulesParser;
import org.nyala.core.access.rule.Source;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.dn.InvalidDnException;
import org.nyala.core.entry.AttributeDescription;
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
  private static final String ATTRIBUTE_OID = "2.25.243364186533117308521887600532469739927.1.1";
  private static final Pattern PLACE = Pattern.compile("\\{(\\d{1,6})}");

  private final Dn name;

  /** A text of rules, and its place among others; negative if it has none. */
  private record Text(int place, String source, String rules) {
    static Text of(Dn name, String value) {
      Matcher matcher = PLACE.matcher(value);
      return matcher.lookingAt()
          ? new Text(
              Integer.parseInt(matcher.group(1)),
              name + " " + matcher.group(),
              value.substring(matcher.end()))
          : new Text(-1, name.toString(), value);
    }
  }

  private RulesEntry(Dn name) {
    this.name = name;
  }

  /** Returns the entry of a delegated subtree. */
  static RulesEntry below(Dn top, Schema schema) {
    try {
      return new RulesEntry(DnParser.parse(schema, RDN).under(top));
    } catch (InvalidDnException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Returns the attribute that holds rules; null if the schema has none. */
  public static @Nullable AttributeDescription attribute(Schema schema) {
    AttributeType type = schema.attributeType(ATTRIBUTE_OID);
    return type == null ? null : AttributeDescription.of(type);
  }

  /** Returns whether an attribute holds rules: whoever changes it needs to {@code manage} it. */
  public static boolean isHeldIn(AttributeType type) {
    for (AttributeType each = type; each != null; each = each.superior()) {
      if (each.oid().equals(ATTRIBUTE_OID)) {
        return true;
      }
    }
    return false;
  }

  /** The name of the entry. */
  Dn name() {
    return name;
  }

  /**
   * Reads the rules.
   *
   * @param values the values of the attribute, in any order
   * @param file the rules of the file, whose zones and people can be named
   * @param text the bounds of rules
   * @throws InvalidRulesException for the first fault
   */
  List<Rule> read(List<byte[]> values, AccessRules file, RulesText text, Schema schema)
      throws InvalidRulesException {
    List<Rule> rules = new ArrayList<>();
    for (Text each : inOrder(values)) {
      rules.addAll(
          RulesParser.parseRules(
              each.source(),
              each.rules().getBytes(StandardCharsets.UTF_8),
              schema,
              file,
              text.delegatedRules() - rules.size()));
    }
    return rules;
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
}
