package org.nyala.core.filter;

import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.nyala.core.message.FilterNode;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.MatchingRule;

/** The matching rules that suit each attribute (RFC 4511, section 4.5.1.7.7). */
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

  private static final String COUNTRY_STRING = "1.3.6.1.4.1.1466.115.121.1.11";

  private RuleApplicability() {}

  /**
   * Returns whether a value can be meant for the type's own equality rule. A Country String is
   * asserted by a rule of Directory String, but always has two letters (RFC 4517, section 3.3.4):
   * any other value is a mistake, which must not match every entry in a negation.
   */
  static boolean mayBeValue(AttributeType type, byte[] value) {
    return !type.syntax().builtInOid().equals(COUNTRY_STRING) || type.syntax().isValid(value);
  }

  /** Returns whether the type's equality rule would accept the pieces, as in slapd. */
  static boolean mayBePieces(AttributeType type, FilterNode.Substrings item) {
    MatchingRule rule = type.equality();
    if (rule == null) {
      return true;
    }
    boolean accepted = mayBePiece(rule, item.initial()) && mayBePiece(rule, item.last());
    for (int i = 0; accepted && i < item.any().size(); i++) {
      accepted = mayBePiece(rule, item.any().get(i));
    }
    return accepted;
  }

  /* An absent piece requires nothing, which is harmless. */
  private static boolean mayBePiece(MatchingRule rule, byte @Nullable [] piece) {
    return piece == null || piece.length == 0 || rule.acceptsAssertion(piece);
  }

  /** Returns whether values of the type can be compared by the rule. */
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
