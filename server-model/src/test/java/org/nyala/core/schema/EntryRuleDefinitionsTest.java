package org.nyala.core.schema;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.nyala.core.schema.load.SchemaAdditions;
import org.nyala.core.schema.load.SchemaLoader;
import org.nyala.core.schema.load.SchemaSource;

class EntryRuleDefinitionsTest {
  private static final String CLASSES =
      """
      objectclass ( 1.2.3.1 NAME 'site' SUP top STRUCTURAL MUST ou MAY ( l $ street ) )
      objectclass ( 1.2.3.2 NAME 'chamber' SUP top STRUCTURAL MUST cn MAY ( description $ sn ) )
      objectclass ( 1.2.3.3 NAME 'bookable' SUP top AUXILIARY MAY ou )
      objectclass ( 1.2.3.4 NAME 'hourly' SUP bookable AUXILIARY MAY l )
      objectclass ( 1.2.3.5 NAME 'heated' SUP top AUXILIARY MAY l )
      objectclass ( 1.2.3.6 NAME 'concept' SUP top ABSTRACT MAY l )
      objectclass ( 1.2.3.7 NAME 'oldRoom' OBSOLETE SUP top STRUCTURAL MUST cn )
      """;

  private static final String RULES =
      """
      ditstructurerule ( 2 NAME 'roomRule' FORM roomForm SUP ( 1 2 ) )
      ditstructurerule ( 1 NAME 'siteRule' FORM siteForm )
      ditstructurerule ( 3 OBSOLETE FORM siteForm SUP 2 )
      nameform ( 1.2.3.21 NAME 'siteForm' OC site MUST ou )
      nameform ( 1.2.3.22 NAME 'roomForm' DESC 'of rooms' OC chamber MUST cn MAY ( l $ serialNumber ) )
      ditcontentrule ( 1.2.3.2 NAME 'roomContent' DESC 'in rooms' AUX hourly
          MUST description MAY title NOT sn X-ORIGIN 'here' )
      """;

  private static final Schema SCHEMA = load(CLASSES + RULES);

  private static Schema load(String text) {
    List<SchemaSource> sources = new ArrayList<>();
    for (String name : List.of("core.schema", "cosine.schema")) {
      sources.add(bundled(name));
    }
    sources.add(new SchemaSource("test.schema", text));
    return SchemaLoader.load(sources);
  }

  private static SchemaSource bundled(String name) {
    try (InputStream stream = SchemaLoader.class.getResourceAsStream(name)) {
      return new SchemaSource(
          name, new String(Objects.requireNonNull(stream).readAllBytes(), UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static ClassSet classSet(String... names) {
    List<byte[]> values = new ArrayList<>();
    for (String name : names) {
      values.add(name.getBytes(UTF_8));
    }
    return SCHEMA.classSet(values);
  }

  private static AttributeType type(String name) {
    return Objects.requireNonNull(SCHEMA.attributeType(name), name);
  }

  private static ObjectClass objectClass(String name) {
    return Objects.requireNonNull(SCHEMA.objectClass(name), name);
  }

  @Test
  void shouldHoldContentRules() {
    DitContentRule rule = Objects.requireNonNull(SCHEMA.contentRule(objectClass("chamber")));

    assertThat(rule.oid()).isEqualTo("1.2.3.2");
    assertThat(rule.auxiliaries()).containsExactly(objectClass("hourly"));
    assertThat(rule.must()).containsExactly(type("description"));
    assertThat(rule.may()).containsExactly(type("title"));
    assertThat(rule.not()).containsExactly(type("sn"));
    assertThat(SCHEMA.contentRule(objectClass("site"))).isNull();
  }

  @Test
  void shouldDescribeRulesSoThatTheyParseToTheSame() {
    Schema again = SchemaAdditions.extend(SCHEMA, List.of(), List.of());

    assertThat(SchemaDescriptions.contentRules(again))
        .containsExactly(
            "( 1.2.3.2 NAME 'roomContent' DESC 'in rooms' AUX hourly MUST description MAY title"
                + " NOT sn )");
    assertThat(SchemaDescriptions.nameForms(again))
        .containsExactly(
            "( 1.2.3.21 NAME 'siteForm' OC site MUST ou )",
            "( 1.2.3.22 NAME 'roomForm' DESC 'of rooms' OC chamber MUST cn MAY ( l $ serialNumber )"
                + " )");
    assertThat(SchemaDescriptions.structureRules(again))
        .containsExactly(
            "( 2 NAME 'roomRule' FORM roomForm SUP ( 1 2 ) )",
            "( 1 NAME 'siteRule' FORM siteForm )",
            "( 3 OBSOLETE FORM siteForm SUP 2 )");
  }

  @Test
  void shouldReadRulesFromAnLdif() {
    Schema schema =
        SchemaLoader.load(
            List.of(
                bundled("core.schema"),
                new SchemaSource("classes.schema", CLASSES),
                new SchemaSource(
                    "rules.ldif",
                    """
                    dn: cn=rules
                    olcDitContentRules: {0}( 1.2.3.1 NAME 'siteContent' NOT l )
                    nameForms: ( 1.2.3.21 NAME 'siteForm' OC site MUST ou )
                    dITStructureRules: ( 7 FORM 1.2.3.21 )
                    """)));

    assertThat(schema.contentRules())
        .extracting(DitContentRule::name)
        .containsExactly("siteContent");
    assertThat(schema.nameForm("SITEFORM")).isSameAs(schema.nameForm("1.2.3.21")).isNotNull();
    assertThat(Objects.requireNonNull(schema.structureRule(7)).form().name()).isEqualTo("siteForm");
  }

  @Test
  void shouldFindTheGoverningStructureRule() {
    DitStructureRule site = Objects.requireNonNull(SCHEMA.structureRule(1));
    DitStructureRule room = Objects.requireNonNull(SCHEMA.structureRule(2));

    assertThat(SCHEMA.structureRules(objectClass("site"))).containsExactly(site);
    assertThat(SCHEMA.structureRules(objectClass("person"))).isEmpty();
    assertThat(SCHEMA.governingRule(objectClass("site"), List.of(type("ou")), null)).isSameAs(site);
    assertThat(SCHEMA.governingRule(objectClass("site"), List.of(type("ou")), site)).isNull();
    assertThat(SCHEMA.governingRule(objectClass("site"), List.of(type("l")), null)).isNull();
    assertThat(SCHEMA.governingRule(objectClass("chamber"), List.of(type("cn")), site))
        .isSameAs(room);
    assertThat(SCHEMA.governingRule(objectClass("chamber"), List.of(type("cn"), type("l")), room))
        .isSameAs(room);
    assertThat(SCHEMA.governingRule(objectClass("chamber"), List.of(type("l")), room)).isNull();
    assertThat(SCHEMA.governingRule(objectClass("chamber"), List.of(type("cn"), type("ou")), room))
        .isNull();
    assertThat(SCHEMA.governingRule(objectClass("chamber"), List.of(type("cn")), null)).isNull();
  }

  @Test
  void shouldJoinTheContentRuleWithTheClasses() {
    ClassSet room = classSet("chamber", "hourly");

    assertThat(room.violation()).isEmpty();
    assertThat(room.contentRule()).isEqualTo(SCHEMA.contentRule(objectClass("chamber")));
    assertThat(room.must()).contains(type("description"), type("cn"));
    assertThat(room.allows(type("title"))).isTrue();
    assertThat(room.allows(type("sn"))).isFalse();
    assertThat(room.allows(type("entryUUID"))).isTrue();
    assertThat(classSet("chamber", "heated").violation())
        .isEqualTo("object class 'heated' is not allowed by the content rule 'roomContent'");
    assertThat(classSet("chamber", "extensibleObject").violation()).contains("'extensibleObject'");
    assertThat(classSet("site", "heated").violation()).isEmpty();
  }

  @Test
  void shouldTellAbstractAndObsoleteClasses() {
    assertThat(classSet("site", "concept").violation())
        .isEqualTo("no class of the entry extends the abstract object class 'concept'");
    assertThat(classSet("site", "top").violation()).isEmpty();
    assertThat(classSet("oldRoom").violation()).isEmpty();
    assertThat(classSet("oldRoom").obsoletion()).isEqualTo("object class 'oldRoom' is obsolete");
    assertThat(classSet("site").obsoletion()).isEmpty();
  }

  @Test
  void shouldSayWhatIsWrongWithARule() {
    assertInvalid("ditcontentrule ( 1.2.3.99 )", "unknown object class '1.2.3.99'");
    assertInvalid("ditcontentrule ( 1.2.3.3 )", "'bookable' is not a structural");
    assertInvalid("ditcontentrule ( 1.2.3.1 AUX chamber )", "'chamber' in AUX is not an auxiliary");
    assertInvalid("ditcontentrule ( 1.2.3.1 NOT nope )", "attribute type 'nope'");
    assertInvalid("ditcontentrule ( 1.2.3.1 OC chamber )", "'OC' is not known in a content rule");
    assertInvalid("nameform ( 1.2.3.30 MUST cn )", "needs OC and MUST");
    assertInvalid("nameform ( 1.2.3.30 OC chamber )", "needs OC and MUST");
    assertInvalid("nameform ( 1.2.3.30 OC heated MUST cn )", "'heated' is not a structural");
    assertInvalid("ditstructurerule ( 1 )", "needs FORM");
    assertInvalid("ditstructurerule ( x FORM f )", "'x' is not the number");
    assertInvalid("ditstructurerule ( 9999999999 FORM f )", "is not the number");
    assertInvalid("ditstructurerule ( 1 FORM nope )", "name form 'nope'");
    assertInvalid(
        "nameform ( 1.2.3.30 NAME 'f' OC chamber MUST cn )\nditstructurerule ( 1 FORM f SUP 4 )",
        "structure rule '4'");
    assertInvalid("ditcontentrule ( 1.2.3.1 ) x", "after the closing");
  }

  private static void assertInvalid(String text, String part) {
    assertThatThrownBy(() -> load(CLASSES + text))
        .isInstanceOf(InvalidSchemaException.class)
        .hasMessageStartingWith("test.schema:")
        .hasMessageContaining(part);
  }
}
