package org.nyala.core.schema.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.nyala.core.schema.InvalidSchemaException;
import org.nyala.core.schema.Schema;

/** Tests definitions whose references are all defined, and that are invalid nevertheless. */
class SchemaConsistencyTest {
  private static final String LDAP = "1.3.6.1.4.1.1466.115.121.1.";
  private static final String UUID = "1.3.6.1.1.16.1";
  private static final Schema STANDARD = SchemaLoader.standard();
  private static final String CLASSES =
      """
      objectclass ( 1.2.3.1 NAME 'chamber' SUP cool STRUCTURAL MUST ou MAY l )
      objectclass ( 1.2.3.2 NAME 'hourly' SUP priced AUXILIARY MAY l )
      objectclass ( 1.2.3.3 NAME 'priced' SUP top AUXILIARY MUST street )
      objectclass ( 1.2.3.4 NAME 'cool' SUP top ABSTRACT MUST title )
      attributetype ( 2.5.4.11 NAME 'ou' SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 )
      attributetype ( 2.5.4.7 NAME 'l' SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 )
      attributetype ( 2.5.4.9 NAME 'street' SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 )
      attributetype ( 2.5.4.12 NAME 'title' SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 )
      """;

  private static Schema load(String text) {
    return SchemaLoader.load(List.of(new SchemaSource("test.schema", text)));
  }

  private static void assertInvalid(String text, String... parts) {
    assertThatThrownBy(() -> load(text))
        .isInstanceOf(InvalidSchemaException.class)
        .hasMessageContainingAll(parts);
  }

  private static String type(String rest) {
    return "attributetype ( 1.2.3.9 NAME 'a' " + rest + " )";
  }

  private static String oid(String syntax) {
    return syntax.equals("UUID") ? UUID : LDAP + syntax;
  }

  @ParameterizedTest
  @CsvSource({
    "integerMatch, 15",
    "integerMatch, 40",
    "numericStringMatch, 15",
    "booleanMatch, 15",
    "generalizedTimeMatch, 26",
    "distinguishedNameMatch, 15",
    "distinguishedNameMatch, 34",
    "uniqueMemberMatch, 15",
    "objectIdentifierMatch, 15",
    "UUIDMatch, 15",
    "bitStringMatch, 44",
    "CSNMatch, 15",
    "certificateExactMatch, 40",
    "integerFirstComponentMatch, 27",
    "objectIdentifierFirstComponentMatch, 38",
    "caseIgnoreMatch, 40",
    "caseExactIA5Match, 28",
    "telephoneNumberMatch, 8",
  })
  void shouldRefuseARuleThatDoesNotFitTheSyntax(String rule, String syntax) {
    assertInvalid(
        "\n" + type("EQUALITY " + rule + " SYNTAX " + oid(syntax)),
        "test.schema:2: 1.2.3.9 'a': inappropriate matching rule",
        "'" + rule + "' for EQUALITY",
        oid(syntax));
  }

  @ParameterizedTest
  @CsvSource({
    "caseIgnoreMatch, 26",
    "caseIgnoreMatch, 44",
    "caseIgnoreMatch, 11",
    "caseIgnoreMatch, 50",
    "caseIgnoreMatch, 27",
    "caseIgnoreMatch, 12",
    "caseExactIA5Match, 15",
    "caseIgnoreListMatch, 15",
    "caseIgnoreListMatch, 41",
    "telephoneNumberMatch, 15",
    "octetStringMatch, 15",
    "octetStringMatch, 28",
    "integerMatch, 27",
    "integerMatch, 36",
    "uniqueMemberMatch, 12",
    "certificateExactMatch, 8",
    "objectIdentifierFirstComponentMatch, 37",
    "integerFirstComponentMatch, 17",
    "UUIDMatch, UUID",
  })
  void shouldLetARuleCompareWhatItCanNormalize(String rule, String syntax) {
    Schema schema = load(type("EQUALITY " + rule + " SYNTAX " + oid(syntax)));

    assertThat(Objects.requireNonNull(schema.attributeType("a")).equality()).isNotNull();
  }

  @Test
  void shouldRefuseARuleForAnotherUse() {
    String syntax = " SYNTAX " + LDAP + "15";
    assertInvalid(type("EQUALITY caseIgnoreSubstringsMatch" + syntax), "no rule for EQUALITY");
    assertInvalid(type("EQUALITY caseIgnoreOrderingMatch" + syntax), "no rule for EQUALITY");
    assertInvalid(type("EQUALITY wordMatch" + syntax), "no rule for EQUALITY");
    assertInvalid(type("ORDERING caseIgnoreMatch" + syntax), "no rule for ORDERING");
    assertInvalid(type("SUBSTR caseIgnoreMatch" + syntax), "no rule for SUBSTR");
    assertInvalid(
        type("ORDERING integerOrderingMatch" + syntax), "'integerOrderingMatch' for ORDERING");
    assertInvalid(
        type("SUBSTR numericStringSubstringsMatch" + syntax),
        "'numericStringSubstringsMatch' for SUBSTR");
  }

  @Test
  void shouldRefuseAnInheritedRuleThatDoesNotFit() {
    String superior =
        "attributetype ( 1.2.3.8 NAME 'number' EQUALITY integerMatch SYNTAX " + LDAP + "27 )\n";
    assertInvalid(superior + type("SUP number SYNTAX " + LDAP + "15"), "'integerMatch'");
    load(superior + type("SUP number EQUALITY caseIgnoreMatch SYNTAX " + LDAP + "15"));
  }

  @Test
  void shouldSeeThroughASyntaxThatStandsForAnother() {
    String syntax = "ldapsyntax ( 1.2.3.7 DESC 'x' X-SUBST '" + LDAP + "27' )\n";
    load(syntax + type("EQUALITY integerMatch SYNTAX 1.2.3.7"));
    assertInvalid(syntax + type("EQUALITY UUIDMatch SYNTAX 1.2.3.7"), "'UUIDMatch'", "1.2.3.7 (x)");
  }

  @Test
  void shouldRefuseAttributeTypesThatContradictThemselves() {
    String text = "SYNTAX " + LDAP + "15 ";
    assertInvalid(type(""), "needs SUP or SYNTAX");
    assertInvalid(type(text + "NO-USER-MODIFICATION"), "needs an operational USAGE");
    assertInvalid(type(text + "COLLECTIVE USAGE dSAOperation"), "COLLECTIVE needs");
    assertInvalid(type(text + "COLLECTIVE SINGLE-VALUE"), "SINGLE-VALUE exclude");
    assertInvalid(type("SUP createTimestamp"), "USAGE is not that of its superior");
    load(type(text + "NO-USER-MODIFICATION USAGE directoryOperation"));
    load(type("SUP createTimestamp USAGE directoryOperation"));
    load(type(text + "COLLECTIVE"));
  }

  @Test
  void shouldRefuseAnObjectClassThatExtendsAnotherKind() {
    String classes =
        """
        objectclass ( 1.2.3.1 NAME 'thing' SUP top STRUCTURAL )
        objectclass ( 1.2.3.2 NAME 'trait' SUP top AUXILIARY )
        objectclass ( 1.2.3.3 NAME 'concept' SUP top ABSTRACT )
        """;
    assertThat(load(classes).objectClass("concept")).isNotNull();
    assertInvalid(classes + subclass("thing", "AUXILIARY"), "AUXILIARY cannot extend the STRUCT");
    assertInvalid(classes + subclass("trait", "STRUCTURAL"), "STRUCTURAL cannot extend the AUX");
    assertInvalid(classes + subclass("thing", "ABSTRACT"), "ABSTRACT cannot extend the STRUCTURAL");
    assertInvalid(classes + subclass("trait", "ABSTRACT"), "ABSTRACT cannot extend the AUXILIARY");
    for (String kind : List.of("AUXILIARY", "STRUCTURAL", "ABSTRACT")) {
      load(classes + subclass("concept", kind));
    }
    load(classes + subclass("thing", "STRUCTURAL") + subclass("trait", "AUXILIARY", "1.2.3.5"));
  }

  private static String subclass(String superior, String kind) {
    return subclass(superior, kind, "1.2.3.4");
  }

  private static String subclass(String superior, String kind, String oid) {
    return "objectclass ( " + oid + " SUP " + superior + " " + kind + " )\n";
  }

  @Test
  void shouldRefuseAContentRuleWithoutWhatIsRequired() {
    assertInvalid(CLASSES + "ditcontentrule ( 1.2.3.1 NOT ou )", "'ou' in NOT", "'chamber'");
    assertInvalid(CLASSES + "ditcontentrule ( 1.2.3.1 NOT title )", "'title' in NOT", "'cool'");
    assertInvalid(
        CLASSES + "ditcontentrule ( 1.2.3.1 AUX hourly NOT street )", "'street'", "'priced'");
    assertInvalid(
        CLASSES + "ditcontentrule ( 1.2.3.1 MUST street NOT street )", "in MUST and in NOT");
    load(CLASSES + "ditcontentrule ( 1.2.3.1 AUX hourly NOT l )");
    load(CLASSES + "ditcontentrule ( 1.2.3.1 NOT street )");
  }

  @Test
  void shouldRefuseAdditionsButReadThoseThatAreStored() {
    ExtendedSchema.Addition bad =
        addition("( 1.2.3.9 NAME 'a' EQUALITY integerMatch SYNTAX " + LDAP + "15 )");
    ExtendedSchema.Addition good = addition("( 1.2.3.8 NAME 'b' SUP name )");
    assertThatThrownBy(() -> ExtendedSchema.of(STANDARD).with(List.of(good, bad)))
        .isInstanceOf(InvalidSchemaException.class)
        .hasMessageContaining("added definition 1.2.3.9: 1.2.3.9 'a': inappropriate");
    ExtendedSchema stored = ExtendedSchema.of(STANDARD, List.of(bad));
    assertThat(stored.schema().attributeType("a")).isNotNull();
    assertThat(stored.with(List.of(bad, good)).schema().attributeType("b")).isNotNull();
    assertThatThrownBy(() -> stored.with(List.of(good)).with(List.of(good, bad)))
        .isInstanceOf(InvalidSchemaException.class);
  }

  @Test
  void shouldReadStoredTypesWithoutSyntaxAsText() {
    ExtendedSchema stored = ExtendedSchema.of(STANDARD, List.of(addition("( 1.2.3.9 NAME 'a' )")));

    assertThat(Objects.requireNonNull(stored.schema().attributeType("a")).syntax().oid())
        .isEqualTo(LDAP + "15");
  }

  private static ExtendedSchema.Addition addition(String text) {
    return ExtendedSchema.parse(DefinitionKind.ATTRIBUTE_TYPE, text);
  }
}
