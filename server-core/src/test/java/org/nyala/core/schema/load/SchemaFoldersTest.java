package org.nyala.core.schema.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.schema.InvalidSchemaException;
import org.nyala.core.schema.ObjectClass;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.SchemaDescriptions;
import org.nyala.core.schema.SecretTypes;

/** Tests an administrator's schema files beside those that come with the server. */
class SchemaFoldersTest {
  private static final String DIRECTORY_STRING = "1.3.6.1.4.1.1466.115.121.1.15";
  private static final String INTEGER = "1.3.6.1.4.1.1466.115.121.1.27";

  @TempDir Path installed;
  @TempDir Path own;
  @TempDir Path other;

  private final List<String> notes = new ArrayList<>();

  @BeforeEach
  void install() throws IOException {
    for (SchemaSource source : SchemaLoader.bundled()) {
      Files.writeString(installed.resolve(source.name()), source.text());
    }
  }

  private static void write(Path folder, String name, String text) throws IOException {
    Files.writeString(folder.resolve(name), text);
  }

  private Schema load(Path... folders) throws IOException {
    return SchemaFolders.load(installed, List.of(folders), SecretTypes.DEFAULT, notes::add);
  }

  @Test
  void shouldBeTheStandardSchemaWithoutOwnFiles() throws IOException {
    Schema schema = load();

    Schema standard = SchemaLoader.standard();
    assertThat(SchemaDescriptions.attributeTypes(schema))
        .containsExactlyInAnyOrderElementsOf(SchemaDescriptions.attributeTypes(standard));
    assertThat(SchemaDescriptions.objectClasses(schema))
        .containsExactlyInAnyOrderElementsOf(SchemaDescriptions.objectClasses(standard));
    assertThat(notes).isEmpty();
  }

  @Test
  void shouldReadOwnFoldersBesideTheShippedFiles() throws IOException {
    write(own, "a.schema", "attributetype ( 1.2.3.1 NAME 'badge' SYNTAX " + INTEGER + " )");
    write(other, "b.schema", "objectclass ( 1.2.3.2 NAME 'guard' AUXILIARY MUST badge MAY mail )");

    Schema schema = load(own, other);

    assertThat(schema.objectClass("guard").must()).containsExactly(schema.attributeType("badge"));
    assertThat(notes).isEmpty();
  }

  @Test
  void shouldReadAnOwnFileInsteadOfAShippedOneOfItsName() throws IOException {
    write(own, "nis.ldif", "attributetypes: ( 1.2.3.1 NAME 'gecos' SYNTAX " + INTEGER + " )\n");

    Schema schema = load(own);

    assertThat(schema.attributeType("gecos").oid()).isEqualTo("1.2.3.1");
    assertThat(schema.objectClass("posixAccount")).isNull();
    assertThat(notes).containsExactly(own.resolve("nis.ldif") + " is read instead of nis.schema");
  }

  @Test
  void shouldTakeAnOwnDefinitionInsteadOfAShippedOneOfItsIdentifier() throws IOException {
    write(
        own,
        "bis.schema",
        """
        objectclass ( 1.3.6.1.1.1.2.2 NAME 'posixGroup' SUP top AUXILIARY MUST gidNumber
          MAY ( userPassword $ memberUid $ description ) )
        """);

    Schema schema = load(own);

    assertThat(schema.objectClass("posixGroup").kind()).isEqualTo(ObjectClass.Kind.AUXILIARY);
    assertThat(notes)
        .singleElement()
        .asString()
        .matches(
            ".*bis.schema:1: \\S+ 'posixGroup' replaces nis.schema:\\d+: .*; they differ in kind .*");
  }

  @Test
  void shouldTakeAnOwnDefinitionInsteadOfAShippedOneOfItsName() throws IOException {
    write(own, "named.schema", "objectclass ( 1.2.3.4 NAME 'namedObject' STRUCTURAL MUST cn )");

    Schema schema = load(own);

    assertThat(schema.objectClass("namedObject").oid()).isEqualTo("1.2.3.4");
    assertThat(schema.objectClass("1.3.6.1.4.1.5322.13.1.1")).isNull();
    assertThat(notes).singleElement().asString().contains("replaces openldap.schema");
  }

  @Test
  void shouldNoteNothingOfDefinitionsThatSayTheSame() throws IOException {
    Files.copy(installed.resolve("nis.schema"), own.resolve("unix.schema"));

    load(own);

    assertThat(notes).isEmpty();
  }

  @Test
  void shouldSayThatADefinitionOfTheServersOwnCannotBeReplaced() throws IOException {
    write(own, "cn.schema", "attributetype ( 2.5.4.3 NAME 'cn' SYNTAX " + INTEGER + " )");

    Schema schema = load(own);

    assertThat(schema.attributeType("cn").syntax().oid()).isEqualTo(DIRECTORY_STRING);
    assertThat(notes)
        .singleElement()
        .asString()
        .contains(
            "'cn' is ignored: it differs from the one in system.schema:",
            "which the server needs: delete it");
  }

  @Test
  void shouldSayWhichOfTwoOwnDefinitionsCounts() throws IOException {
    write(own, "a.schema", "attributetype ( 1.2.3.1 NAME 'badge' SYNTAX " + INTEGER + " )");
    write(own, "b.schema", "attributetype ( 1.2.3.1 NAME 'badge' SYNTAX " + DIRECTORY_STRING + ")");

    Schema schema = load(own);

    assertThat(schema.attributeType("badge").syntax().oid()).isEqualTo(INTEGER);
    assertThat(notes)
        .containsExactly(
            own.resolve("b.schema")
                + ":1: 1.2.3.1 'badge' is ignored: it differs from the one in "
                + own.resolve("a.schema")
                + ":1 in SYNTAX: delete one of the two");
  }

  @Test
  void shouldTakeARuleBesideASyntaxThatItDoesNotCompare() throws IOException {
    write(
        own,
        "odd.schema",
        "attributetype ( 1.2.3.1 NAME 'badge' EQUALITY integerMatch SYNTAX "
            + DIRECTORY_STRING
            + " )");

    Schema schema = load(own);

    assertThat(schema.attributeType("badge").equality().name()).isEqualTo("integerMatch");
    assertThat(notes).singleElement().asString().contains("inappropriate matching rule");
  }

  @Test
  void shouldRefuseARuleThatIsNoneForItsUse() throws IOException {
    write(
        own,
        "odd.schema",
        "attributetype ( 1.2.3.1 NAME 'badge' EQUALITY caseIgnoreSubstringsMatch SYNTAX "
            + DIRECTORY_STRING
            + " )");

    assertThatThrownBy(() -> load(own))
        .isInstanceOf(InvalidSchemaException.class)
        .hasMessageContaining("is no rule for EQUALITY");
  }

  @Test
  void shouldTakeADirectiveThatBeginsAsOneOfAttributeTypesDoes() throws IOException {
    write(own, "a.schema", "attributeype ( 1.2.3.1 NAME 'badge' SYNTAX " + INTEGER + " )");
    write(other, "b.schema", "attributeoptions x-");

    assertThat(load(own).attributeType("badge")).isNotNull();
    assertThatThrownBy(() -> load(other)).hasMessageContaining("found 'attributeoptions'");
  }
}
