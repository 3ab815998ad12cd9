package org.nyala.cli.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.error.ExitCode;
import org.nyala.process.LocalCommands;

/** Data whose entries use attribute types of a schema file that is gone. */
class MissingSchemaTest {
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
    Path configuration =
        Files.writeString(
            folder.resolve("test.conf"),
            "nyala { data = \"%s\", schema.folders = [\"%s\"], log.security.format = off }"
                .formatted(folder.resolve("data"), schema));
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
              "has attribute types that the schema does not define: badge, door; the data is"
                  + " unchanged; the schema files (searched: "
                  + schema
                  + ") lack these definitions: put them back, name the folder");
    }
  }

  @Test
  void shouldNameTheMissingObjectClasses() throws IOException {
    Path schema = Files.createDirectory(folder.resolve("schema"));
    Path file =
        Files.writeString(
            schema.resolve("guest.schema"),
            "objectclass ( 1.2.3.3 NAME 'guest' AUXILIARY MAY cn )");
    Path configuration =
        Files.writeString(
            folder.resolve("test.conf"),
            "nyala { data = \"%s\", schema.folders = [\"%s\"], log.security.format = off }"
                .formatted(folder.resolve("data"), schema));
    Path ldif =
        Files.writeString(
            folder.resolve("a.ldif"), "dn: dc=x\nobjectClass: domain\nobjectClass: guest\ndc: x\n");
    commands.shouldSucceed(configuration, "import", ldif.toString());
    commands.shouldSucceed(configuration, "verify");
    Files.delete(file);
    assertThat(commands.run(configuration, "verify")).isEqualTo(ExitCode.UNSOUND);
    assertThat(commands.err())
        .startsWith(
            "entries have object classes that the schema does not define: guest (1 entries);"
                + " the schema files (searched: "
                + schema
                + ") lack these definitions: put them back");
    Files.writeString(file, "objectclass ( 1.2.3.3 NAME 'guest' AUXILIARY MAY cn )");
    commands.shouldSucceed(configuration, "verify");
  }
}
