package org.nyala.core.schema.load;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.InvalidSchemaException;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.SecretTypes;

class SchemaLoaderTest {
  private static Schema load(String text) {
    return SchemaLoader.load(List.of(new SchemaSource("test.schema", text)));
  }

  @Test
  void shouldLoadTheBundledFiles() {
    Schema schema = SchemaLoader.standard();

    assertThat(schema.attributeTypes()).hasSizeGreaterThan(230);
    assertThat(schema.objectClasses()).hasSizeGreaterThan(75);
    AttributeType cn = schema.attributeType("CommonName");
    assertThat(cn.oid()).isEqualTo("2.5.4.3");
    assertThat(cn.superior()).isEqualTo(schema.attributeType("name"));
    assertThat(cn.equality().name()).isEqualTo("caseIgnoreMatch");
    assertThat(cn.substrings().name()).isEqualTo("caseIgnoreSubstringsMatch");
    assertThat(cn.syntax().oid()).isEqualTo("1.3.6.1.4.1.1466.115.121.1.15");
    assertThat(schema.objectClass("inetorgperson").isOrExtends(schema.objectClass("person")))
        .isTrue();
  }

  @Test
  void shouldFindAttributeTypesByBytesInAnyCase() {
    Schema schema = SchemaLoader.standard();

    for (AttributeType type : schema.attributeTypes()) {
      for (String name : type.names()) {
        byte[] bytes = ("<" + name.toUpperCase(java.util.Locale.ROOT) + ">").getBytes(UTF_8);
        assertThat(schema.attributeType(bytes, 1, bytes.length - 2)).isSameAs(type);
      }
      byte[] oid = type.oid().getBytes(UTF_8);
      assertThat(schema.attributeType(oid, 0, oid.length)).isSameAs(type);
      assertThat(schema.attributeType(oid, 0, oid.length - 1)).isNotSameAs(type);
    }
    assertThat(schema.attributeType("nothing".getBytes(UTF_8), 0, 7)).isNull();
  }

  @Test
  void shouldReadEverySchemaAndLdifFileOfADirectory(@TempDir Path directory) throws IOException {
    Files.writeString(
        directory.resolve("a.schema"),
        """
        # A comment
        objectidentifier acme 1.3.6.1.4.1.99999
        objectidentifier acmeAttributes acme:1
        attributetype ( acmeAttributes:1 NAME 'acmeBadge'
        # in between
            EQUALITY integerMatch
            SYNTAX 1.3.6.1.4.1.1466.115.121.1.27{8} SINGLE-VALUE X-ORIGIN 'acme' )

        objectclass ( acme:2.1 NAME 'acmePerson' SUP top AUXILIARY MUST acmeBadge MAY acmeNick )
        """);
    Files.writeString(
        directory.resolve("b.ldif"),
        """
        dn: cn=acme,cn=schema,cn=config
        objectClass: olcSchemaConfig
        cn: acme
        olcAttributeTypes: {0}( 1.3.6.1.4.1.99999.1.2 NAME ( 'acmeNick' 'an
         ick' ) DESC 'short \\27name\\27' EQUALITY caseIgnoreMatch SYNTAX '1.3.6.1.4.1.1466.115.121.1.15' )
        """);
    Files.writeString(directory.resolve("README"), "not a schema");

    Schema schema = SchemaFolders.load(directory, OwnSchema.NONE, SecretTypes.DEFAULT, _ -> {});

    AttributeType badge = schema.attributeType("acmebadge");
    assertThat(badge.oid()).isEqualTo("1.3.6.1.4.1.99999.1.1");
    assertThat(badge.maximumLength()).isEqualTo(8);
    assertThat(badge.flags().singleValue()).isTrue();
    AttributeType nick = schema.attributeType("aNick");
    assertThat(nick.description()).isEqualTo("short 'name'");
    assertThat(schema.objectClass("1.3.6.1.4.1.99999.2.1").may()).containsExactly(nick);
    assertThat(schema.attributeType("objectClass")).isNotNull();
  }

  @Test
  void shouldLinkDefinitionsInAnyOrder() {
    Schema schema =
        load(
            """
            attributetype ( 1.2.3.2 NAME 'second' SUP first )
            attributetype ( 1.2.3.1 NAME 'first' SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 )
            """);

    assertThat(schema.attributeType("second").superior()).isSameAs(schema.attributeType("first"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"( )", "( '1.3.6.1.4.1.1466.115.121.1.15' '1.3.6.1.4.1.1466.115.121.1.27' )"})
  void shouldRefuseASyntaxThatStandsForNoneOrSeveral(String substitutes) {
    assertInvalid(
        "ldapsyntax ( 1.2.3.9 DESC 'x' X-SUBST " + substitutes + " )", "X-SUBST names one syntax");
  }

  @Test
  void shouldExtendASchema() {
    Schema schema =
        SchemaAdditions.extend(
            load("ldapsyntax ( 1.2.3.9 DESC 'x' X-SUBST '1.3.6.1.4.1.1466.115.121.1.27' )"),
            List.of("( 1.2.3.1 NAME 'more' EQUALITY integerMatch SYNTAX 1.2.3.9 )"),
            List.of("( 1.2.3.2 NAME 'evenMore' SUP top MUST more )"));

    assertThat(schema.objectClass("evenmore").must()).containsExactly(schema.attributeType("more"));
    assertThat(schema.attributeType("more").syntax().isValid(new byte[] {'x'})).isFalse();
    assertThatThrownBy(() -> SchemaAdditions.extend(schema, List.of("( 1.2.3 FOO )"), List.of()))
        .isInstanceOf(InvalidSchemaException.class)
        .hasMessageContaining("( 1.2.3 FOO ): 'FOO'");
  }

  @Test
  void shouldIgnoreARepeatedDefinition() {
    Schema schema =
        load("attributetype ( 2.5.4.3 NAME 'cn' SYNTAX 1.3.6.1.4.1.1466.115.121.1.27 )");

    assertThat(schema.attributeType("cn").equality().name()).isEqualTo("caseIgnoreMatch");
  }

  @Test
  void shouldSayWhereBothDefinitionsOfANameOrAnIdentifierAreAndInWhatTheyDiffer() {
    assertInvalid(
        """
        attributetype ( 1.2.3 NAME 'sshPublicKey' EQUALITY octetStringMatch
          SYNTAX 1.3.6.1.4.1.1466.115.121.1.40 )

        attributetype ( 1.2.4 NAME 'sshPublicKey' EQUALITY caseExactMatch
          SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 SINGLE-VALUE )
        """,
        "test.schema:4: the name 'sshPublicKey' of 1.2.4 belongs to 1.2.3 in test.schema:1; the two"
            + " differ in OID, EQUALITY, SYNTAX, SINGLE-VALUE: delete one of them, or give it a"
            + " name and an object identifier of its own");
    assertInvalid(
        "attributetype ( 2.5.4.3 NAME 'other' )",
        "test.schema:1: 2.5.4.3 [other] is [cn, commonName] in ",
        "; the two differ in NAME, SUP: delete one of them");
    assertInvalid(
        """
        objectclass ( 1.2.3 NAME 'a' AUXILIARY MUST cn )
        objectclass ( 1.2.4 NAME 'a' STRUCTURAL MAY cn )
        """,
        "test.schema:2",
        "in test.schema:1; the two differ in OID, kind (ABSTRACT, STRUCTURAL, AUXILIARY), MUST,"
            + " MAY:");
  }

  @Test
  void shouldSayWhereAndWhatIsWrong() {
    assertInvalid(
        "\nattributetype ( 1.2.3 NAME 'a' EQUALITY nope )",
        "test.schema:2",
        "matching rule 'nope'");
    assertInvalid("attributetype ( 1.2.3 NAME 'a' SUP nope )", "attribute type 'nope'");
    assertInvalid("attributetype ( 1.2.3 NAME 'a' SYNTAX 1.2.3 )", "syntax '1.2.3'");
    assertInvalid("objectclass ( 1.2.3 NAME 'a' SUP nope )", "object class 'nope'");
    assertInvalid("attributetype ( 1.2.3 NAME 'a' SUP a )", "its own superior");
    assertInvalid("attributetype ( macro:1 NAME 'a' )", "macro");
    assertInvalid("attributetype ( 1..2 NAME 'a' )", "numeric object identifier");
    assertInvalid("attributetype ( 1.2.3 NAME 'a", "quote");
    assertInvalid("attributetype ( 1.2.3 NAME 'a'", "found the end");
    assertInvalid("attributetype ( 1.2.3 NAME 'a' ) x", "after the closing");
    assertInvalid("attributetype ( 1.2.3 NAME 'a' WHAT )", "'WHAT'");
    assertInvalid("attributetype ( 1.2.3 NAME 'a b' )", "'a b' is not a name");
    assertInvalid("objectclass ( 1.2.3 NAME 'a' FOO )", "'FOO'");
    assertInvalid("index cn eq", "test.schema:1", "found 'index'");
  }

  private static void assertInvalid(String text, String... parts) {
    assertThatThrownBy(() -> load(text))
        .isInstanceOf(InvalidSchemaException.class)
        .hasMessageContainingAll(parts);
  }
}
