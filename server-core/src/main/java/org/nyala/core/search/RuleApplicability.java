package org.nyala.core.search;

import java.util.Set;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.MatchingRule;

/** Tells which matching rules suit which attributes (RFC 4511, section 4.5.1.7.7). */
public final class RuleApplicability {
  private static final String DIRECTORY_STRING = "1.3.6.1.4.1.1466.115.121.1.15";

  /** Syntaxes whose values are text too, so that a rule for Directory String can compare them. */
  private static final Set<String> TEXT_SYNTAXES =
      Set.of(
          "1.3.6.1.4.1.1466.115.121.1.11",
          "1.3.6.1.4.1.1466.115.121.1.26",
          "1.3.6.1.4.1.1466.115.121.1.36",
          "1.3.6.1.4.1.1466.115.121.1.44",
          "1.3.6.1.4.1.1466.115.121.1.50");

  private RuleApplicability() {}

  /** Whether values of the type can be compared by the rule. */
  public static boolean applies(MatchingRule rule, AttributeType type) {
    if (rule == type.equality() || rule == type.ordering()) {
      return true;
    }
    String ruleSyntax = rule.syntaxOid();
    String typeSyntax = type.syntax().oid();
    return ruleSyntax.equals(typeSyntax)
        || (ruleSyntax.equals(DIRECTORY_STRING) && TEXT_SYNTAXES.contains(typeSyntax));
  }
}
