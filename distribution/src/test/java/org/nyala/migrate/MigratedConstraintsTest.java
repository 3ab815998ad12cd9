package org.nyala.migrate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.migrate.MigratedText.STORE;
import static org.nyala.migrate.MigratedText.notes;
import static org.nyala.migrate.MigratedText.read;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nyala.core.slapd.InvalidSlapdFileException;
import org.nyala.error.Installation;
import org.nyala.migrate.MigrationNote.Kind;
import org.nyala.server.ConfigurationCheck;

class MigratedConstraintsTest {
  @TempDir Path folder;

  private Migration migrate(String text) throws IOException, InvalidSlapdFileException {
    Path file = Files.writeString(folder.resolve("slapd.conf"), text);
    return Migration.of(
        file,
        Set.of(),
        Placement.DEFAULT,
        new Installation(Optional.empty()),
        ConfigurationCheck::run);
  }

  private static List<? extends Config> rules(Migration migration) {
    return read(migration).getConfigList("constraint.rules");
  }

  private static Config rule(String text) {
    return ConfigFactory.parseString(text);
  }

  @Test
  void shouldTranslateEachLineIntoARule() throws Exception {
    Migration migration =
        migrate(
            STORE
                + """
                overlay constraint
                constraint_attribute mail,uid regex ^[[:alnum:]]+@example.com$
                constraint_attribute mail negregex "^(root|admin)@"
                constraint_attribute jpegPhoto size 131072
                constraint_attribute userPassword count 3
                constraint_attribute title uri
                  ldap:///ou=catalog,dc=example,dc=com?title?sub?(objectClass=device)
                constraint_attribute sn count 1
                  restrict="ldap:///ou=people,dc=example,dc=com??one?objectClass=person"
                constraint_attribute cn count 1 restrict=ldap:///ou=a%20b,dc=example,dc=com
                """);

    assertThat(migration.fault()).isEmpty();
    assertThat(notes(migration, Kind.MISSING)).isEmpty();
    assertThat(rules(migration).stream().map(Config.class::cast).toList())
        .containsExactly(
            rule("attributes = [mail, uid], regex = \"^[[:alnum:]]+@example.com$\""),
            rule("attributes = [mail], forbiddenRegex = \"^(root|admin)@\""),
            rule("attributes = [jpegPhoto], maximumBytes = 131072"),
            rule("attributes = [userPassword], maximumValues = 3"),
            rule(
                "attributes = [title], listAttributes = [title], listBase ="
                    + " \"ou=catalog,dc=example,dc=com\", listFilter = \"(objectClass=device)\""),
            rule(
                "attributes = [sn], maximumValues = 1, base = \"ou=people,dc=example,dc=com\","
                    + " scope = one, filter = \"(objectClass=person)\""),
            rule(
                "attributes = [cn], maximumValues = 1, base = \"ou=a b,dc=example,dc=com\","
                    + " scope = base"));
    assertThat(read(migration).getObject("indexes").keySet()).contains("title");
  }

  @Test
  void shouldTranslateNumbersAndTextsThatNyalaHasOtherwise() throws Exception {
    Migration migration =
        migrate(
            STORE
                + """
                overlay constraint
                constraint_attribute mail negregex " "
                constraint_attribute cn size 18446744073709551615
                constraint_attribute sn count 1 restrict=ldap:///??sub?(entryDN=dc=example,dc=com)
                """);

    assertThat(migration.fault()).isEmpty();
    assertThat(rules(migration).stream().map(Config.class::cast).toList())
        .containsExactly(
            rule("attributes = [mail], forbiddenRegex = \"[ ]\""),
            rule("attributes = [cn], maximumBytes = 2147483647"),
            rule(
                "attributes = [sn], maximumValues = 1,"
                    + " filter = \"(entryDN=dc=example,dc=com)\""));
  }

  @Test
  void shouldKeepToTheSuffixOfADatabase() throws Exception {
    Migration migration =
        migrate(
            STORE
                + """
                suffix o=second
                overlay constraint
                constraint_attribute mail count 1 restrict=ldap:///??sub?(sn=a)
                database mdb
                suffix o=other
                """);

    assertThat(rules(migration).stream().map(Config.class::cast).toList())
        .containsExactly(
            rule(
                "attributes = [mail], maximumValues = 1, base = \"dc=example,dc=com\","
                    + " filter = \"(sn=a)\""),
            rule(
                "attributes = [mail], maximumValues = 1, base = \"o=second\","
                    + " filter = \"(sn=a)\""));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "cn set \"this/sn\"",
        "cn regex \"(a)\\\\1\"",
        "cn regex [[.a.]]",
        "cn regex a**",
        "cn uri ldap:///dc=example,dc=com?entryDN?sub",
        "cn count 1 restrict=ldap:///??sub?(memberOf=cn=x)",
        "cn count 1 restrict=ldap:///??sub?(memberOf~=cn=x)",
        "cn count 1 restrict=ldap:///??sub?(!(numSubordinates>=1))",
        "cn size many",
        "cn uri ldap:///dc=example,dc=com",
        "cn uri ldap://other/dc=example,dc=com?cn",
        "cn uri ldap:///dc=example,dc=com?cn?near",
        "cn count 1 restrict=ldap:///ou=%zz",
        "cn count 1 unless=never",
        "cn neverheard 1",
        "cn count"
      })
  void shouldTellWhatIsLost(String line) throws Exception {
    Migration migration =
        migrate(STORE + "overlay constraint\nconstraint_attribute " + line + "\n");

    assertThat(migration.fault()).isEmpty();
    assertThat(read(migration).hasPath("constraint")).isFalse();
    assertThat(notes(migration, Kind.MISSING))
        .singleElement()
        .asString()
        .startsWith("slapd.conf:4: constraint_attribute: ");
  }
}
