package org.nyala.cli.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.config.ConfigurationFile;
import org.nyala.config.NyalaConfig;
import org.nyala.error.ExitCode;
import org.nyala.error.Installation;
import org.nyala.process.LocalCommands;
import org.nyala.server.RunningServer;

/** Data whose entries use attribute types of a schema file that is gone. */
class MissingSchemaTest {
  private static final String GUEST = "objectclass ( 1.2.3.3 NAME 'guest' AUXILIARY MAY cn )";

  @TempDir Path folder;

  private final LocalCommands commands = new LocalCommands();

  @Test
  void shouldNameTheMissingAttributeTypesAndTheFoldersThatWereSearched() throws IOException {
    Path schema = Files.createDirectory(folder.resolve("schema"));
    Path file =
        Files.writeString(
            schema.resolve("badge.schema"),
            """
            attributetype ( 1.2.3.1 NAME 'badge' SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 )
            attributetype ( 1.2.3.2 NAME 'door' SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 )
            objectclass ( 1.2.3.3 NAME 'guest' AUXILIARY MAY ( badge $ door ) )
            """);
    Path configuration = configuration(schema);
    Path ldif =
        Files.writeString(
            folder.resolve("a.ldif"),
            """
            dn: dc=x
            objectClass: domain
            objectClass: guest
            dc: x
            badge: 7
            door;lang-de: 8
            """);
    commands.shouldSucceed(configuration, "import", ldif.toString());
    Files.writeString(file, "# the definitions were edited out\n");
    for (List<String> command :
        List.of(List.of("verify"), List.of("config", "check"), List.of("export"))) {
      int exitCode = commands.run(configuration, command.toArray(String[]::new));
      assertThat(exitCode).as(command.toString()).isEqualTo(ExitCode.FAILED);
      assertThat(commands.err())
          .contains(
              "has attribute types that the schema does not define: badge (1.2.3.1, which was in "
                  + file
                  + ":1), door (1.2.3.2, which was in "
                  + file
                  + ":2); the data is unchanged; the schema files (searched: "
                  + schema
                  + ") lack these definitions: put them back, name the folder");
    }
  }

  @Test
  void shouldNameTheMissingObjectClasses() throws IOException {
    Path schema = Files.createDirectory(folder.resolve("schema"));
    Path file = Files.writeString(schema.resolve("guest.schema"), GUEST);
    Path configuration = configuration(schema);
    importGuest(configuration);
    commands.shouldSucceed(configuration, "verify");
    Files.delete(file);
    String missing =
        " object classes that the schema does not define: guest (1.2.3.3, which was in "
            + file
            + ":1)";
    String advice = "; the schema files (searched: " + schema + ") lack these definitions: put";
    assertThat(commands.run(configuration, "config", "check")).isEqualTo(ExitCode.FAILED);
    assertThat(commands.err()).contains(" has" + missing + "; the data is unchanged" + advice);
    NyalaConfig read = ConfigurationFile.read(configuration, folder);
    assertThatThrownBy(() -> RunningServer.start(read, Installation.current()).close())
        .hasMessageContaining(" has" + missing + "; the data is unchanged" + advice);
    assertThat(commands.run(configuration, "verify")).isEqualTo(ExitCode.UNSOUND);
    assertThat(commands.err()).startsWith("entries have" + missing + " (1 entries)" + advice);
    Files.writeString(file, GUEST);
    commands.shouldSucceed(configuration, "verify");
    RunningServer.start(read, Installation.current()).close();
  }

  /** The identifiers of the class are in the index, under a name that the schema still has. */
  @Test
  void shouldNameAClassWhoseIdentifierHasChanged() throws IOException {
    Path schema = Files.createDirectory(folder.resolve("schema"));
    Path file = Files.writeString(schema.resolve("guest.schema"), GUEST);
    Path configuration = configuration(schema);
    importGuest(configuration);
    Files.writeString(file, "objectclass ( 1.2.3.4 NAME 'guest' AUXILIARY MAY cn )");
    assertThat(commands.run(configuration, "config", "check")).isEqualTo(ExitCode.FAILED);
    assertThat(commands.err())
        .contains(
            "does not define: guest (1.2.3.3, which was in " + file + ":1); the data is unchanged");
  }

  /** All entries are read, once for each change of the classes. */
  @Test
  void shouldNameTheMissingObjectClassesWithoutAnIndex() throws IOException {
    Path schema = Files.createDirectory(folder.resolve("schema"));
    Path file = Files.writeString(schema.resolve("guest.schema"), GUEST);
    Path configuration =
        Files.writeString(
            folder.resolve("test.conf"),
            """
            nyala { data = "%s", schema.folders = ["%s"], log.security.format = off
              indexes = { uid = [eq] } }
            """
                .formatted(folder.resolve("data"), schema));
    Path ldif =
        Files.writeString(
            folder.resolve("a.ldif"),
            """
            dn: dc=x
            objectClass: domain
            dc: x

            dn: uid=a,dc=x
            objectClass: account
            objectClass: guest
            uid: a
            """);
    commands.shouldSucceed(configuration, "import", ldif.toString());
    NyalaConfig read = ConfigurationFile.read(configuration, folder);
    String missing =
        " has object classes that the schema does not define: guest (1.2.3.3, which was in "
            + file
            + ":1); the data is unchanged; the schema files (searched: ";
    for (boolean hasStarted : List.of(false, true)) {
      Files.delete(file);
      assertThat(commands.run(configuration, "config", "check")).isEqualTo(ExitCode.FAILED);
      assertThat(commands.err()).contains(missing);
      assertThatThrownBy(() -> RunningServer.start(read, Installation.current()).close())
          .as("a server has started: %s", hasStarted)
          .hasMessageContaining(missing);
      Files.writeString(file, GUEST.replace("guest", "visitor"));
      assertThat(commands.run(configuration, "config", "check")).isEqualTo(ExitCode.FAILED);
      assertThat(commands.err()).contains("does not define: guest (1.2.3.3, ");
      Files.writeString(file, GUEST);
      RunningServer.start(read, Installation.current()).close();
      commands.shouldSucceed(configuration, "config", "check");
    }
  }

  private void importGuest(Path configuration) throws IOException {
    Path ldif =
        Files.writeString(
            folder.resolve("a.ldif"), "dn: dc=x\nobjectClass: domain\nobjectClass: guest\ndc: x\n");
    commands.shouldSucceed(configuration, "import", ldif.toString());
  }

  private Path configuration(Path schema) throws IOException {
    return Files.writeString(
        folder.resolve("test.conf"),
        "nyala { data = \"%s\", schema.folders = [\"%s\"], log.security.format = off }"
            .formatted(folder.resolve("data"), schema));
  }
}
