package org.nyala.core.schema.rule;

import static org.nyala.core.schema.MatchingRule.Use.EQUALITY;
import static org.nyala.core.schema.MatchingRule.Use.ORDERING;
import static org.nyala.core.schema.MatchingRule.Use.SUBSTRINGS;

import java.util.ArrayList;
import java.util.List;
import org.nyala.core.dn.DnNormalizer;
import org.nyala.core.schema.MatchingRule;
import org.nyala.core.schema.MatchingRule.Comparison;
import org.nyala.core.schema.MatchingRule.Use;
import org.nyala.core.schema.Normalizer;

/**
 * The matching rules that the server implements: RFC 4517, RFC 4523, RFC 4530 and others' usual.
 */
public final class StandardMatchingRules {
  private static final String LDAP = "1.3.6.1.4.1.1466.115.121.1.";
  private static final String SUBSTRING_ASSERTION = LDAP + "58";
  private static final String OPENLDAP = "1.3.6.1.4.1.4203.";
  private static final String CSN_SYNTAX = OPENLDAP + "666.11.2.1";

  private final List<MatchingRule> rules = new ArrayList<>();
  private final Normalizer oid;
  private final Normalizer dn;
  private final Normalizer nameAndUid;
  private final Normalizer certificate;

  private StandardMatchingRules(SchemaLink link) {
    oid = new ObjectIdentifierNormalizer(link);
    dn = new DnNormalizer(link, false);
    nameAndUid = new DnNormalizer(link, true);
    certificate = new CertificateNormalizer(link, dn);
  }

  /** Creates the rules; rules that compare names use the schema that the link gets. */
  public static List<MatchingRule> create(SchemaLink link) {
    StandardMatchingRules standard = new StandardMatchingRules(link);
    standard.addText();
    standard.addTextOfRestrictedCharacters();
    standard.addNumbersAndTimes();
    standard.addNames();
    standard.addFirstComponents();
    standard.addCertificates();
    standard.addOthers();
    return List.copyOf(standard.rules);
  }

  private void addText() {
    add("2.5.13.2", "caseIgnoreMatch", LDAP + "15", EQUALITY, TextNormalizer.CASE_IGNORE);
    add("2.5.13.3", "caseIgnoreOrderingMatch", LDAP + "15", ORDERING, TextNormalizer.CASE_IGNORE);
    addSubstrings("2.5.13.4", "caseIgnoreSubstringsMatch", TextNormalizer.CASE_IGNORE);
    add("2.5.13.5", "caseExactMatch", LDAP + "15", EQUALITY, TextNormalizer.CASE_EXACT);
    add("2.5.13.6", "caseExactOrderingMatch", LDAP + "15", ORDERING, TextNormalizer.CASE_EXACT);
    addSubstrings("2.5.13.7", "caseExactSubstringsMatch", TextNormalizer.CASE_EXACT);
    add("2.5.13.11", "caseIgnoreListMatch", LDAP + "41", EQUALITY, ListNormalizer.INSTANCE);
    addSubstrings("2.5.13.12", "caseIgnoreListSubstringsMatch", ListNormalizer.INSTANCE);
    addWords("2.5.13.32", "wordMatch");
    addWords("2.5.13.33", "keywordMatch");
  }

  private void addTextOfRestrictedCharacters() {
    String ia5 = "1.3.6.1.4.1.1466.109.114.";
    add(ia5 + "1", "caseExactIA5Match", LDAP + "26", EQUALITY, TextNormalizer.CASE_EXACT_IA5);
    add(ia5 + "2", "caseIgnoreIA5Match", LDAP + "26", EQUALITY, TextNormalizer.CASE_IGNORE_IA5);
    addSubstrings(ia5 + "3", "caseIgnoreIA5SubstringsMatch", TextNormalizer.CASE_IGNORE_IA5);
    addSubstrings(OPENLDAP + "1.2.1", "caseExactIA5SubstringsMatch", TextNormalizer.CASE_EXACT_IA5);
    add("2.5.13.8", "numericStringMatch", LDAP + "36", EQUALITY, DigitsNormalizer.NUMERIC);
    add("2.5.13.9", "numericStringOrderingMatch", LDAP + "36", ORDERING, DigitsNormalizer.NUMERIC);
    addSubstrings("2.5.13.10", "numericStringSubstringsMatch", DigitsNormalizer.NUMERIC);
    add("2.5.13.20", "telephoneNumberMatch", LDAP + "50", EQUALITY, DigitsNormalizer.TELEPHONE);
    addSubstrings("2.5.13.21", "telephoneNumberSubstringsMatch", DigitsNormalizer.TELEPHONE);
  }

  private void addNumbersAndTimes() {
    add("2.5.13.13", "booleanMatch", LDAP + "7", EQUALITY, IdentifierNormalizers.BOOLEAN);
    add("2.5.13.14", "integerMatch", LDAP + "27", EQUALITY, IntegerNormalizer.INSTANCE);
    add("2.5.13.15", "integerOrderingMatch", LDAP + "27", ORDERING, IntegerNormalizer.INSTANCE);
    add("2.5.13.16", "bitStringMatch", LDAP + "6", EQUALITY, IdentifierNormalizers.BITS);
    add("2.5.13.17", "octetStringMatch", LDAP + "40", EQUALITY, IdentifierNormalizers.OCTETS);
    add(
        "2.5.13.18",
        "octetStringOrderingMatch",
        LDAP + "40",
        ORDERING,
        IdentifierNormalizers.OCTETS);
    addSubstrings("2.5.13.19", "octetStringSubstringsMatch", IdentifierNormalizers.OCTETS);
    add("2.5.13.27", "generalizedTimeMatch", LDAP + "24", EQUALITY, TimeNormalizer.INSTANCE);
    add(
        "2.5.13.28",
        "generalizedTimeOrderingMatch",
        LDAP + "24",
        ORDERING,
        TimeNormalizer.INSTANCE);
    String microsoft = "1.2.840.113556.1.4.";
    addCompared(
        microsoft + "803",
        "integerBitAndMatch",
        LDAP + "27",
        Comparisons.LONG,
        Comparisons::hasAllBits);
    addCompared(
        microsoft + "804",
        "integerBitOrMatch",
        LDAP + "27",
        Comparisons.LONG,
        Comparisons::hasAnyBit);
  }

  private void addNames() {
    add("2.5.13.0", "objectIdentifierMatch", LDAP + "38", EQUALITY, oid);
    add("2.5.13.1", "distinguishedNameMatch", LDAP + "12", EQUALITY, dn);
    add("2.5.13.23", "uniqueMemberMatch", LDAP + "34", EQUALITY, nameAndUid);
    String within = OPENLDAP + "666.4.";
    addCompared(within + "8", "dnOneLevelMatch", LDAP + "12", dn, Comparisons::isOneLevelBelow);
    addCompared(within + "9", "dnSubtreeMatch", LDAP + "12", dn, Comparisons::isInSubtree);
    addCompared(within + "10", "dnSubordinateMatch", LDAP + "12", dn, Comparisons::isSubordinate);
    addCompared(within + "11", "dnSuperiorMatch", LDAP + "12", dn, Comparisons::isSuperior);
  }

  private void addFirstComponents() {
    addFirst("2.5.13.29", "integerFirstComponentMatch", LDAP + "27", IntegerNormalizer.INSTANCE);
    addFirst("2.5.13.30", "objectIdentifierFirstComponentMatch", LDAP + "38", oid);
    addFirst(
        "2.5.13.31", "directoryStringFirstComponentMatch", LDAP + "15", TextNormalizer.CASE_IGNORE);
  }

  /* But for certificates, these are compared as the bytes that are stored. */
  private void addCertificates() {
    Normalizer octets = IdentifierNormalizers.OCTETS;
    String syntax = "1.3.6.1.1.15.";
    rules.add(
        new MatchingRule(
            "2.5.13.34",
            List.of("certificateExactMatch"),
            syntax + "1",
            EQUALITY,
            certificate,
            new CertificateAssertion(certificate, dn),
            MatchingRule.SAME_BYTES));
    add("2.5.13.35", "certificateMatch", syntax + "2", EQUALITY, octets);
    add("2.5.13.36", "certificatePairExactMatch", syntax + "3", EQUALITY, octets);
    add("2.5.13.37", "certificatePairMatch", syntax + "4", EQUALITY, octets);
    add("2.5.13.38", "certificateListExactMatch", syntax + "5", EQUALITY, octets);
    add("2.5.13.39", "certificateListMatch", syntax + "6", EQUALITY, octets);
    add("2.5.13.40", "algorithmIdentifierMatch", syntax + "7", EQUALITY, octets);
    String attributeSyntax = OPENLDAP + "666.11.10.2.";
    add("2.5.13.45", "attributeCertificateExactMatch", attributeSyntax + "2", EQUALITY, octets);
    add("2.5.13.46", "attributeCertificateMatch", attributeSyntax + "3", EQUALITY, octets);
  }

  private void addOthers() {
    add("2.5.13.22", "presentationAddressMatch", LDAP + "43", EQUALITY, TextNormalizer.CASE_IGNORE);
    add("2.5.13.24", "protocolInformationMatch", LDAP + "42", EQUALITY, TextNormalizer.CASE_IGNORE);
    add("1.3.6.1.1.16.2", "UUIDMatch", "1.3.6.1.1.16.1", EQUALITY, IdentifierNormalizers.UUID);
    add(
        "1.3.6.1.1.16.3",
        "UUIDOrderingMatch",
        "1.3.6.1.1.16.1",
        ORDERING,
        IdentifierNormalizers.UUID);
    String csn = OPENLDAP + "666.11.2.";
    add(csn + "2", "CSNMatch", CSN_SYNTAX, EQUALITY, IdentifierNormalizers.CSN);
    add(csn + "3", "CSNOrderingMatch", CSN_SYNTAX, ORDERING, IdentifierNormalizers.CSN);
    add(csn + "5", "CSNSIDMatch", csn + "4", EQUALITY, IdentifierNormalizers.CSN_SERVER);
    add(
        OPENLDAP + "1.2.2",
        "authPasswordExactMatch",
        OPENLDAP + "1.1.2",
        EQUALITY,
        IdentifierNormalizers.OCTETS);
    add(
        OPENLDAP + "666.4.12",
        "authzMatch",
        OPENLDAP + "666.2.7",
        EQUALITY,
        TextNormalizer.CASE_EXACT);
  }

  private void add(String ruleOid, String name, String syntaxOid, Use use, Normalizer normalizer) {
    rules.add(new MatchingRule(ruleOid, List.of(name), syntaxOid, use, normalizer));
  }

  private void addSubstrings(String ruleOid, String name, Normalizer normalizer) {
    add(ruleOid, name, SUBSTRING_ASSERTION, SUBSTRINGS, normalizer);
  }

  private void addWords(String ruleOid, String name) {
    addCompared(ruleOid, name, LDAP + "15", TextNormalizer.CASE_IGNORE, Comparisons::hasWord);
  }

  private void addFirst(String ruleOid, String name, String syntaxOid, Normalizer component) {
    rules.add(
        new MatchingRule(
            ruleOid,
            List.of(name),
            syntaxOid,
            EQUALITY,
            new FirstComponentNormalizer(component),
            component,
            MatchingRule.SAME_BYTES));
  }

  private void addCompared(
      String ruleOid, String name, String syntaxOid, Normalizer normalizer, Comparison comparison) {
    rules.add(
        new MatchingRule(
            ruleOid, List.of(name), syntaxOid, EQUALITY, normalizer, normalizer, comparison));
  }
}
