package org.nyala.core.access.slapd;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.rule.AccessRules;
import org.nyala.core.access.rule.Clause;
import org.nyala.core.access.rule.Clause.Flow;
import org.nyala.core.access.rule.Condition;
import org.nyala.core.access.rule.DnPattern;
import org.nyala.core.access.rule.Grant;
import org.nyala.core.access.rule.InvalidRulesException;
import org.nyala.core.access.rule.LimitStatement;
import org.nyala.core.access.rule.Rule;
import org.nyala.core.access.rule.RulesParser;
import org.nyala.core.access.rule.RulesPrinter;
import org.nyala.core.access.rule.Source;
import org.nyala.core.access.rule.Target;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.dn.InvalidDnException;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.ObjectClass;
import org.nyala.core.schema.Schema;

/**
 * The schema's words, and the question whether rules with them can be read.
 *
 * <p>Immutable.
 *
 * @param schema the schema
 */
record Wording(Schema schema) {
  private static final Pattern PLACE = Pattern.compile("^:[0-9]+:[0-9]+: ");
  private static final Pattern BRACE = Pattern.compile("\\{(?=[A-Za-z*])");

  /** Returns the parser's reason not to read a rule with this target; null if it does. */
  @Nullable String refusal(Target target) {
    return refusal(target, List.of());
  }

  /** Returns the parser's reason not to read a clause with these conditions; null if it does. */
  @Nullable String refusal(Target target, List<Condition> conditions) {
    try {
      Clause clause = new Clause(conditions, Grant.UNCHANGED, Flow.BREAK, Source.NONE);
      return refusal(RulesPrinter.print(new Rule(target, List.of(clause), Source.NONE)));
    } catch (IllegalArgumentException e) {
      return String.valueOf(e.getMessage());
    }
  }

  /** Returns the parser's reason not to read a limit; null if it does. */
  @Nullable String refusal(LimitStatement limit) {
    return refusal(RulesPrinter.print(limit));
  }

  /** Returns the parser's reason not to read statements; null if it does. */
  @Nullable String refusal(String text) {
    try {
      read("", text);
      return null;
    } catch (InvalidRulesException e) {
      return PLACE.matcher(String.valueOf(e.getMessage())).replaceFirst("");
    }
  }

  /** Reads a file of rules. */
  AccessRules read(String name, String text) throws InvalidRulesException {
    return RulesParser.parse(name, text.getBytes(UTF_8), schema);
  }

  @Nullable Dn name(String text) {
    try {
      return DnParser.parse(schema, text);
    } catch (InvalidDnException _) {
      return null;
    }
  }

  /** Returns the name with captures that a text is, which need not be written as RFC 4514 does. */
  @Nullable DnPattern pattern(String text) {
    Dn written = name(text);
    if (written == null) {
      return null;
    }
    StringBuilder plain = new StringBuilder();
    for (int i = 0; i < written.rdnCount(); i++) {
      plain.append(i == 0 ? "" : ",").append(new String(written.rdn(i), UTF_8));
    }
    try {
      return DnPattern.parse(schema, plain.toString());
    } catch (InvalidDnException _) {
      return null;
    }
  }

  /** Returns a text in which no brace begins a capture. */
  static String withoutCaptures(String text) {
    return BRACE.matcher(text).replaceAll("\\\\7b");
  }

  /**
   * Returns an RDN as patterns write it, if it is written in the form in which slapd compares names
   * with expressions, but for upper case; else null.
   */
  @Nullable String normalizedRdn(String text) {
    Dn rdn = name(text);
    if (rdn == null || rdn.rdnCount() != 1) {
      return null;
    }
    String normalized = new String(rdn.normalizedRdn(0), UTF_8);
    boolean isSame = normalized.equalsIgnoreCase(text) && ignoresCase(text);
    return isSame ? DnPattern.of(rdn).toString() : null;
  }

  /** Returns the whole name in the form in which slapd compares names, but for upper case. */
  static String normalizedName(Dn name) {
    return new String(name.normalized(), UTF_8);
  }

  /* An expression ignores case, so that it is a name only for attributes that do as well. */
  private boolean ignoresCase(String rdn) {
    Dn upper = name(rdn.toUpperCase(Locale.ROOT));
    Dn lower = name(rdn.toLowerCase(Locale.ROOT));
    return upper != null && upper.equals(lower);
  }

  /** Returns whether another type is below this one, whose values would count as well. */
  boolean hasSubtypes(AttributeType type) {
    return schema.attributeTypes().stream()
        .anyMatch(other -> !other.equals(type) && other.isOrDescendsFrom(type));
  }

  /** Returns whether another class is below this one, whose entries would count as well. */
  boolean hasSubclasses(ObjectClass objectClass) {
    return schema.objectClasses().stream()
        .anyMatch(other -> !other.equals(objectClass) && other.isOrExtends(objectClass));
  }
}
