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
    return SchemaFolders.load(
        installed, OwnSchema.of(List.of(folders)), SecretTypes.DEFAULT, notes::add);
  }

  private Schema replacing(String... announced) throws IOException {
    OwnSchema chosen = new OwnSchema(List.of(own), List.of(announced), List.of(), List.of());
    return SchemaFolders.load(installed, chosen, SecretTypes.DEFAULT, notes::add);
  }

  private void assertRefused(String... parts) {
    assertThatThrownBy(() -> load(own, other))
        .isInstanceOf(InvalidSchemaException.class)
        .hasMessageContainingAll(parts);
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

    assertRefused(
        own.resolve("bis.schema") + ":1: 1.3.6.1.1.1.2.2 'posixGroup' differs from nis.schema:",
        ": 1.3.6.1.1.1.2.2 'posixGroup' in kind (ABSTRACT, STRUCTURAL, AUXILIARY), MUST: remove one"
            + " of the two, or set schema.replace = [\"posixGroup\"] to use the first");
    for (String announced : List.of("POSIXGROUP", "1.3.6.1.1.1.2.2")) {
      notes.clear();
      Schema schema = replacing(announced);
      assertThat(schema.objectClass("posixGroup").kind()).isEqualTo(ObjectClass.Kind.AUXILIARY);
      assertThat(notes)
          .singleElement()
          .asString()
          .matches(
              ".*bis.schema:1: \\S+ 'posixGroup' replaces nis.schema:\\d+: .*; they differ in kind"
                  + " .*");
    }
  }

  /** The class of the shipped files that allows the type goes on to do so. */
  @Test
  void shouldTakeAnOwnDefinitionInsteadOfAShippedOneOfItsName() throws IOException {
    write(
        own,
        "ssh.schema",
        "attributetype ( 1.2.3.4 NAME 'sshPublicKey' EQUALITY caseExactMatch SYNTAX "
            + DIRECTORY_STRING
            + " )");

    assertRefused("1.2.3.4 'sshPublicKey' differs from nyala.schema:", "OID, EQUALITY, SYNTAX");
    Schema schema = replacing("sshPublicKey");

    assertThat(schema.attributeType("sshPublicKey").oid()).isEqualTo("1.2.3.4");
    assertThat(schema.attributeType("1.3.6.1.4.1.24552.500.1.1.1.13")).isNull();
    assertThat(schema.objectClass("ldapPublicKey").may())
        .contains(schema.attributeType("sshPublicKey"));
    assertThat(notes).singleElement().asString().contains("replaces nyala.schema");
  }

  /** The identifier is that of a shipped type, under another name than classes refer to. */
  @Test
  void shouldTakeAnOwnDefinitionOfAnotherName() throws IOException {
    write(
        own,
        "ssh.schema",
        "attributetype ( 1.3.6.1.4.1.24552.500.1.1.1.13 NAME 'loginKey' EQUALITY octetStringMatch"
            + " SYNTAX 1.3.6.1.4.1.1466.115.121.1.40 )");

    assertRefused("'loginKey' differs from", " 'sshPublicKey' in NAME: ");
    Schema schema = replacing("loginKey");

    assertThat(schema.attributeType("sshPublicKey")).isNull();
    assertThat(schema.objectClass("ldapPublicKey").may())
        .contains(schema.attributeType("loginKey"));
  }

  @Test
  void shouldTakeAnOwnClassInsteadOfAShippedOneOfItsName() throws IOException {
    write(
        own,
        "named.schema",
        """
        objectclass ( 1.2.3.4 NAME 'namedObject' SUP top STRUCTURAL MUST cn MAY description )
        objectclass ( 1.2.3.5 NAME 'namedPolicy' SUP namedObject STRUCTURAL )
        """);

    assertRefused("1.3.6.1.4.1.5427.1.389.6.20 'namedObject' in OID, MAY: ");
    Schema schema = replacing("namedObject", "namedPolicy");

    assertThat(schema.objectClass("namedObject").oid()).isEqualTo("1.2.3.4");
    assertThat(schema.objectClass("1.3.6.1.4.1.5427.1.389.6.20")).isNull();
    assertThat(schema.objectClass("namedPolicy").superiors())
        .containsExactly(schema.objectClass("1.2.3.4"));
  }

  /** A file that a new version no longer has stays behind if that is unpacked over the old one. */
  @Test
  void shouldAcceptWhatAnEarlierVersionHasLeftBehind() throws IOException {
    Files.copy(installed.resolve("nis.schema"), installed.resolve("former.schema"));
    write(installed, "system.schema", SchemaLoader.system().text());

    load();

    assertThat(notes).isEmpty();
    write(installed, "system.schema", "attributetype ( 2.5.4.3 NAME 'cn' SUP name OBSOLETE )");
    assertThat(load().attributeType("cn").flags().obsolete()).isFalse();
    assertThat(notes)
        .containsExactly(
            installed.resolve("system.schema")
                + " is ignored: the program's own counts, and differs");
  }

  @Test
  void shouldSayThatAnAnnouncementReplacesNothing() throws IOException {
    Files.copy(installed.resolve("nis.schema"), own.resolve("unix.schema"));

    replacing("gecos", "nobody");

    assertThat(notes)
        .containsExactly(
            "nyala.schema.replace: 'gecos' replaces nothing, no other definition of it differs",
            "nyala.schema.replace: 'nobody' replaces nothing, no other definition of it differs");
  }

  @Test
  void shouldNameAllDefinitionsThatDiffer() throws IOException {
    StringBuilder text = new StringBuilder();
    for (int i = 5; i <= 11; i++) {
      text.append("attributetype ( 1.3.6.1.1.1.1." + i + " NAME 'other" + i + "' SUP name )\n");
    }
    write(own, "a.schema", text.toString());

    assertRefused(
        "'other9' differs from nis.schema",
        "; and 2 more; to use yours in place of all: schema.replace = [\"other5\", \"other6\",",
        "\"other11\"]");
  }

  @Test
  void shouldAcceptOtherWaysToSayTheSame() throws IOException {
    write(
        own,
        "same.schema",
        """
        attributetype ( 1.3.6.1.1.1.1.26 NAME 'nisMapName' DESC 'another text' X-ORIGIN 'here'
          SUP 2.5.4.41 EQUALITY 2.5.13.2 SYNTAX 1.3.6.1.4.1.1466.115.121.1.15{1024} )
        attributetype ( 1.3.6.1.1.1.1.4 NAME 'loginShell' EQUALITY CASEEXACTIA5MATCH SINGLE-VALUE
          SYNTAX 1.3.6.1.4.1.1466.115.121.1.26 )
        objectclass ( 1.3.6.1.1.1.2.0 NAME 'posixAccount' AUXILIARY
          MUST ( homeDirectory $ gidNumber $ uidNumber $ userid $ 2.5.4.3 )
          MAY ( description $ gecos $ loginShell $ userPassword $ cn ) )
        """);

    load(own);

    assertThat(notes).isEmpty();
  }

  /** Entries are stored with the first name, spelt as it is. */
  @Test
  void shouldNotTakeAnotherFirstNameForTheSame() throws IOException {
    write(
        own,
        "a.schema",
        "attributetype ( 1.3.6.1.1.1.1.26 NAME ( 'mapName' 'nisMapName' ) SUP name )");
    assertRefused(" in NAME: ");
    write(own, "a.schema", "attributetype ( 1.3.6.1.1.1.1.26 NAME 'nismapname' SUP name )");
    assertRefused(" in NAME: ");
  }

  @Test
  void shouldLeaveOutAShippedFile() throws IOException {
    for (String name : List.of("nis", "nis.schema")) {
      notes.clear();
      OwnSchema chosen = new OwnSchema(List.of(), List.of(), List.of(), List.of(name));
      Schema schema = SchemaFolders.load(installed, chosen, SecretTypes.DEFAULT, notes::add);
      assertThat(schema.objectClass("posixGroup")).isNull();
      assertThat(notes).containsExactly("nis.schema is left out");
    }
    for (String name : List.of("system", "nix")) {
      OwnSchema chosen = new OwnSchema(List.of(), List.of(), List.of(), List.of(name));
      assertThatThrownBy(
              () -> SchemaFolders.load(installed, chosen, SecretTypes.DEFAULT, notes::add))
          .hasMessage(
              "nyala.schema.without: there is no shipped file '"
                  + name
                  + "', expected one of core, cosine, dyngroup, inetorgperson, java, misc,"
                  + " namedobject, nis, nyala, openldap, ppolicy");
    }
  }

  private Schema with(List<String> names) throws IOException {
    OwnSchema chosen = new OwnSchema(List.of(), List.of(), names, List.of());
    return SchemaFolders.load(installed, chosen, SecretTypes.DEFAULT, notes::add);
  }

  @Test
  void shouldTakeRfc2307bisInThePlaceOfNis() throws IOException {
    Schema schema = with(List.of("rfc2307bis"));

    assertThat(schema.objectClass("posixGroup").kind()).isEqualTo(ObjectClass.Kind.AUXILIARY);
    assertThat(schema.objectClass("groupOfMembers")).isNotNull();
    assertThat(notes).containsExactly("nis.schema is left out, for rfc2307bis takes its place");
  }

  @Test
  void shouldTakeAllFilesInsideTheProgramTogether() throws IOException {
    Schema schema = with(SchemaLoader.optionalNames());

    for (String name : List.of("c-l", "corbaIor", "changeNumber", "profileTTL", "role")) {
      assertThat(schema.attributeType(name)).as(name).isNotNull();
    }
    assertThat(schema.objectClass("msSFU30NISMapConfig")).isNull();
    assertThat(schema.attributeType("sAMAccountName")).isNotNull();
    assertThatThrownBy(() -> with(List.of("pmi.schema", "pmy.schema")))
        .hasMessage(
            "nyala.schema.with: there is no file 'pmy.schema', expected one of collective, corba,"
                + " dsee, duaconf, msuser, pmi, rfc2307bis");
  }

  /** One definition is replaced by its name, a file by what leaves the shipped one out. */
  @Test
  void shouldSayHowAWholeFileTakesThePlaceOfAnother() throws IOException {
    Files.writeString(own.resolve("rfc2307bis.schema"), SchemaLoader.optional("rfc2307bis").text());

    assertThatThrownBy(() -> load(own))
        .hasMessageEndingWith(
            "; to use your files in place of the shipped ones as a whole: schema.without ="
                + " [\"nis\"]");
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

    assertRefused(
        own.resolve("cn.schema") + ":1: 2.5.4.3 'cn' differs from system.schema:",
        "SYNTAX: remove the first: the server needs the other");
    assertThatThrownBy(() -> replacing("cn")).hasMessageContaining("the server needs the other");
  }

  @Test
  void shouldIgnoreAnotherDefinitionOfAnOperationalAttributeOfTheServer() throws IOException {
    write(
        own,
        "user.schema",
        "attributetype ( 1.2.840.113556.1.2.102 NAME 'memberOf' SYNTAX "
            + "1.3.6.1.4.1.1466.115.121.1.12 )");

    Schema schema = load(own);

    assertThat(schema.attributeType("memberOf").isOperational()).isTrue();
    assertThat(notes).singleElement().asString().contains("is ignored: the server's own in system");
  }

  @Test
  void shouldRefuseTwoOwnDefinitionsThatDiffer() throws IOException {
    write(own, "a.schema", "attributetype ( 1.2.3.1 NAME 'badge' SYNTAX " + INTEGER + " )");
    write(
        other, "b.schema", "attributetype ( 1.2.3.1 NAME 'badge' SYNTAX " + DIRECTORY_STRING + ")");

    assertRefused(
        own.resolve("a.schema")
            + ":1: 1.2.3.1 'badge' differs from "
            + other.resolve("b.schema")
            + ":1: 1.2.3.1 'badge' in SYNTAX: remove one of the two");
    write(installed, "c.schema", "attributetype ( 1.2.3.1 NAME 'badge' SYNTAX 1.2 )");
    Files.delete(other.resolve("b.schema"));
    assertThat(replacing("badge").attributeType("badge").syntax().oid()).isEqualTo(INTEGER);
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
