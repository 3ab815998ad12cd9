package org.nyala.core.schema;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.nyala.core.filter.RuleApplicability;
import org.nyala.core.schema.load.Definition;
import org.nyala.core.schema.load.DefinitionParser;
import org.nyala.core.schema.load.SchemaFileParser;
import org.nyala.core.schema.load.SchemaLinker;
import org.nyala.core.schema.load.SchemaLoader;
import org.nyala.core.schema.load.SchemaSource;

class SchemaDescriptionsTest {
  private static final Schema SCHEMA = SchemaLoader.standard();

  @ParameterizedTest
  @CsvSource({
    "4, ( 1.3.6.1.4.1.1466.115.121.1.4 DESC 'Audio' X-NOT-HUMAN-READABLE 'TRUE' )",
    "8, ( 1.3.6.1.4.1.1466.115.121.1.8 DESC 'Certificate' X-BINARY-TRANSFER-REQUIRED 'TRUE'"
        + " X-NOT-HUMAN-READABLE 'TRUE' )",
    "9, ( 1.3.6.1.4.1.1466.115.121.1.9 DESC 'Certificate List' X-BINARY-TRANSFER-REQUIRED 'TRUE'"
        + " X-NOT-HUMAN-READABLE 'TRUE' )",
    "10, ( 1.3.6.1.4.1.1466.115.121.1.10 DESC 'Certificate Pair' X-BINARY-TRANSFER-REQUIRED"
        + " 'TRUE' X-NOT-HUMAN-READABLE 'TRUE' )",
    "40, ( 1.3.6.1.4.1.1466.115.121.1.40 DESC 'Octet String' )"
  })
  void shouldMarkSyntaxesLikeSlapd(String number, String description) {
    assertThat(SchemaDescriptions.syntaxes(SCHEMA))
        .filteredOn(each -> each.contains(" 1.3.6.1.4.1.1466.115.121.1." + number + " "))
        .containsExactly(description);
  }

  @Test
  void shouldDescribeAttributeTypesSoThatTheyParseToTheSame() {
    StringBuilder text = new StringBuilder();
    for (String description : SchemaDescriptions.attributeTypes(SCHEMA)) {
      text.append("attributetype ").append(description).append('\n');
    }

    Schema again = SchemaLinker.link(parse(text));

    for (AttributeType type : SCHEMA.attributeTypes()) {
      AttributeType other = again.attributeType(type.oid());
      assertThat(other.names()).isEqualTo(type.names());
      assertThat(other.superior()).isEqualTo(type.superior());
      assertThat(other.syntax().oid()).isEqualTo(type.syntax().oid());
      assertThat(String.valueOf(other.equality())).isEqualTo(String.valueOf(type.equality()));
      assertThat(String.valueOf(other.ordering())).isEqualTo(String.valueOf(type.ordering()));
      assertThat(String.valueOf(other.substrings())).isEqualTo(String.valueOf(type.substrings()));
      assertThat(other.maximumLength()).isEqualTo(type.maximumLength());
      assertThat(other.usage()).isEqualTo(type.usage());
      assertThat(other.flags()).isEqualTo(type.flags());
    }
    assertThat(SchemaDescriptions.attributeTypes(again))
        .isEqualTo(SchemaDescriptions.attributeTypes(SCHEMA));
  }

  @Test
  void shouldDescribeObjectClassesSoThatTheyParseToTheSame() {
    StringBuilder text = new StringBuilder();
    for (String description : SchemaDescriptions.attributeTypes(SCHEMA)) {
      text.append("attributetype ").append(description).append('\n');
    }
    for (String description : SchemaDescriptions.objectClasses(SCHEMA)) {
      text.append("objectclass ").append(description).append('\n');
    }

    Schema again = SchemaLinker.link(parse(text));

    for (ObjectClass objectClass : SCHEMA.objectClasses()) {
      ObjectClass other = again.objectClass(objectClass.oid());
      assertThat(other.names()).isEqualTo(objectClass.names());
      assertThat(other.superiors()).isEqualTo(objectClass.superiors());
      assertThat(other.kind()).isEqualTo(objectClass.kind());
      assertThat(other.must()).isEqualTo(objectClass.must());
      assertThat(other.may()).isEqualTo(objectClass.may());
    }
    assertThat(again.objectClasses()).hasSameSizeAs(SCHEMA.objectClasses());
  }

  private static List<Definition> parse(StringBuilder text) {
    DefinitionParser parser = new DefinitionParser();
    new SchemaFileParser(parser).parse(new SchemaSource("described.schema", text.toString()));
    return parser.definitions();
  }

  @Test
  void shouldWriteDescriptionsAsRfc4512Does() {
    assertThat(SchemaDescriptions.describe(SCHEMA.attributeType("cn")))
        .isEqualTo("( 2.5.4.3 NAME ( 'cn' 'commonName' ) SUP name )");
    assertThat(SchemaDescriptions.describe(SCHEMA.attributeType("createTimestamp")))
        .isEqualTo(
            "( 2.5.18.1 NAME 'createTimestamp' EQUALITY generalizedTimeMatch ORDERING"
                + " generalizedTimeOrderingMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.24 SINGLE-VALUE"
                + " NO-USER-MODIFICATION USAGE directoryOperation )");
    assertThat(SchemaDescriptions.describe(SCHEMA.objectClass("person")))
        .isEqualTo(
            "( 2.5.6.6 NAME 'person' SUP top STRUCTURAL MUST ( cn $ sn ) MAY ( description $"
                + " seeAlso $ telephoneNumber $ userPassword ) )");
    assertThat(SchemaDescriptions.matchingRules(SCHEMA))
        .contains("( 2.5.13.2 NAME 'caseIgnoreMatch' SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 )");
    assertThat(SchemaDescriptions.syntaxes(SCHEMA))
        .contains(
            "( 1.3.6.1.4.1.1466.115.121.1.28 DESC 'JPEG' X-NOT-HUMAN-READABLE 'TRUE' )",
            "( 1.3.6.1.4.1.1466.115.121.1.27 DESC 'INTEGER' )");
    List<String> uses = SchemaDescriptions.matchingRuleUses(SCHEMA, RuleApplicability::applies);
    assertThat(uses)
        .anySatisfy(
            use ->
                assertThat(use)
                    .startsWith("( 1.2.840.113556.1.4.803 NAME 'integerBitAndMatch' APPLIES (")
                    .contains("$ gidNumber $"))
        .anySatisfy(
            use ->
                assertThat(use)
                    .startsWith("( 2.5.13.3 NAME 'caseIgnoreOrderingMatch' APPLIES (")
                    .contains("$ cn $", "$ mail $"))
        .noneSatisfy(use -> assertThat(use).contains("SubstringsMatch"));
  }

  @Test
  void shouldEscapeDescriptions() {
    AttributeType cn = SCHEMA.attributeType("cn");
    AttributeType described =
        new AttributeType(
            "1.2.3",
            List.of(),
            "it's \\",
            null,
            cn.syntax(),
            null,
            null,
            null,
            0,
            AttributeType.Usage.USER_APPLICATIONS,
            cn.flags(),
            false);

    assertThat(SchemaDescriptions.describe(described))
        .isEqualTo("( 1.2.3 DESC 'it\\27s \\5C' SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 )");
  }
}
