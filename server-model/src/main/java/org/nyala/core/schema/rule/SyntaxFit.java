package org.nyala.core.schema.rule;

import java.util.Set;
import org.nyala.core.schema.MatchingRule;
import org.nyala.core.schema.Normalizer;
import org.nyala.core.schema.Syntax;

/**
 * The fit of matching rules to syntaxes whose values they can compare (RFC 4517, section 4.1). A
 * rule fits if it normalises the valid values; text rules fit all text, of any repertoire, and
 * rules for octets fit every syntax.
 */
public final class SyntaxFit {
  private static final String LDAP = "1.3.6.1.4.1.1466.115.121.1.";
  private static final String DN = LDAP + "12";
  private static final String INTEGER = LDAP + "27";
  private static final String NAME_AND_UID = LDAP + "34";
  private static final String NUMERIC_STRING = LDAP + "36";
  private static final String STRUCTURE_RULE = LDAP + "17";
  private static final String CSN = "1.3.6.1.4.1.4203.666.11.2.1";
  private static final String CSN_SERVER = "1.3.6.1.4.1.4203.666.11.2.4";
  private static final Set<String> INTEGERS =
      Set.of(INTEGER, "1.2.840.113556.1.4.906", NUMERIC_STRING);

  /** Descriptions whose first component is an object identifier. */
  private static final Set<String> DESCRIPTIONS =
      Set.of(
          LDAP + "3",
          LDAP + "16",
          LDAP + "30",
          LDAP + "31",
          LDAP + "35",
          LDAP + "37",
          LDAP + "54",
          LDAP + "56",
          LDAP + "57");

  private SyntaxFit() {}

  /** Returns whether the rule can compare values of the syntax. */
  public static boolean fits(MatchingRule rule, Syntax syntax) {
    Normalizer normalizer = rule.valueNormalizer();
    if (normalizer == IdentifierNormalizers.OCTETS) {
      return true;
    }
    boolean isText =
        normalizer instanceof TextNormalizer
            || normalizer instanceof ListNormalizer
            || normalizer == DigitsNormalizer.TELEPHONE;
    return isText
        ? syntax.humanReadable()
        : syntaxes(rule, normalizer).contains(syntax.builtInOid());
  }

  private static Set<String> syntaxes(MatchingRule rule, Normalizer normalizer) {
    if (normalizer instanceof FirstComponentNormalizer) {
      return rule.syntaxOid().equals(INTEGER) ? Set.of(STRUCTURE_RULE) : DESCRIPTIONS;
    }
    if (normalizer == DigitsNormalizer.NUMERIC) {
      return Set.of(NUMERIC_STRING);
    }
    if (normalizer instanceof CertificateNormalizer) {
      return Set.of(LDAP + "8");
    }
    return switch (rule.syntaxOid()) {
      case INTEGER -> INTEGERS;
      case NAME_AND_UID -> Set.of(NAME_AND_UID, DN);
      case CSN_SERVER -> Set.of(CSN_SERVER, CSN);
      default -> Set.of(rule.syntaxOid());
    };
  }
}
