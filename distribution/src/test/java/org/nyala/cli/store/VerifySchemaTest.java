package org.nyala.cli.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.error.ExitCode;
import org.nyala.process.LocalCommands;
import org.nyala.process.LocalServer;
import org.nyala.process.ServerProcess;
import org.nyala.server.RunningServer;

/** Entries that no longer conform to a schema whose files have changed. */
class VerifySchemaTest {
  private static final String DEFINITIONS =
      """
      attributetype ( 1.2.3.1 NAME 'badge' SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 )
      attributetype ( 1.2.3.2 NAME 'door' SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 )
      attributetype ( 1.2.3.4 NAME 'floor' SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 )
      objectclass ( 1.2.3.3 NAME 'guest' AUXILIARY MAY ( badge $ door $ floor ) )
      objectclass ( 1.2.3.5 NAME 'visitor' SUP person STRUCTURAL )
      """;

  @TempDir Path folder;

  private final LocalCommands nyala = new LocalCommands();
  private Path definitions;
  private Path configuration;

  @BeforeEach
  void importGuests() throws Exception {
    Path schema = Files.createDirectory(folder.resolve("schema"));
    definitions = schema.resolve("guest.schema");
    define(DEFINITIONS);
    configuration =
        ServerProcess.configure(
            folder,
            "data = \"%s/data\"\nschema.folders = [\"%s\"]\nstore.valuesInRecord = 16"
                .formatted(folder, schema));
    StringBuilder ldif =
        new StringBuilder("dn: dc=example,dc=com\nobjectClass: domain\ndc: example\n\n");
    for (int i = 1; i <= 5; i++) {
      ldif.append("dn: cn=g")
          .append(i)
          .append(",dc=example,dc=com\nobjectClass: person\nobjectClass: guest\n");
      ldif.append("cn: g").append(i).append("\nsn: x\nbadge: b").append(i).append('\n');
      ldif.append("floor: 1\n");
      ldif.append(i > 3 ? "\n" : "door: north\ndoor: south\n\n");
    }
    ldif.append(
        "dn: cn=v,dc=example,dc=com\nobjectClass: visitor\nobjectClass: guest\ncn: v\nsn: x\n");
    for (int i = 0; i < 40; i++) {
      ldif.append("door: ").append(i < 39 ? i : "last").append('\n');
    }
    Path file = Files.writeString(folder.resolve("a.ldif"), ldif);
    nyala.shouldSucceed(configuration, "import", file.toString());
  }

  private void define(String text) throws IOException {
    Files.writeString(definitions, text);
  }

  @Test
  void shouldFindNothingInEntriesThatConform() throws Exception {
    nyala.shouldSucceed(configuration, "verify", "--schema");
    assertThat(nyala.out()).startsWith("sound: 7 entries, ");
    try (RunningServer _ = LocalServer.startFrom(configuration, folder)) {
      nyala.shouldSucceed(configuration, "verify", "--schema");
    }
  }

  @Test
  void shouldCountViolationsByCause() throws IOException {
    define(
        DEFINITIONS
            .replace(
                "'badge' SYNTAX 1.3.6.1.4.1.1466.115.121.1.15",
                "'badge' SYNTAX 1.3.6.1.4.1.1466.115.121.1.27")
            .replace(
                "'floor' SYNTAX 1.3.6.1.4.1.1466.115.121.1.15",
                "'floor' SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 SINGLE-VALUE")
            .replace("MAY ( badge $ door $ floor )", "MUST description MAY ( badge $ floor )"));
    nyala.shouldSucceed(configuration, "verify");
    assertThat(nyala.run(configuration, "verify", "--schema")).isEqualTo(ExitCode.UNSOUND);
    assertThat(nyala.err().lines())
        .contains(
            "schema: 6 x required by the object classes but missing: description: 'cn=g1,dc=example,dc=com', 'cn=g2,dc=example,dc=com',"
                + " 'cn=g3,dc=example,dc=com', ...",
            "schema: 5 x a value of badge is not a valid INTEGER: 'cn=g1,dc=example,dc=com', 'cn=g2,dc=example,dc=com',"
                + " 'cn=g3,dc=example,dc=com', ...",
            "schema: 1 x the attribute door is not allowed by the object classes of this visitor:"
                + " 'cn=v,dc=example,dc=com'");
  }

  @Test
  void shouldLookAtValuesThatAreKeptApart() throws IOException {
    define(
        DEFINITIONS.replace(
            "'door' SYNTAX 1.3.6.1.4.1.1466.115.121.1.15",
            "'door' SYNTAX 1.3.6.1.4.1.1466.115.121.1.27 SINGLE-VALUE"));
    assertThat(nyala.run(configuration, "verify", "--schema")).isEqualTo(ExitCode.UNSOUND);
    assertThat(nyala.err().lines())
        .contains(
            "schema: 4 x a value of door is not a valid INTEGER: 'cn=g1,dc=example,dc=com', 'cn=g2,dc=example,dc=com',"
                + " 'cn=g3,dc=example,dc=com', ...",
            "schema: 4 x door has one value, not more: 'cn=g1,dc=example,dc=com', 'cn=g2,dc=example,dc=com', 'cn=g3,dc=example,dc=com',"
                + " ...");
  }

  @Test
  void shouldApplyContentRulesAndKindsOfClasses() throws IOException {
    define(
        DEFINITIONS
            + "ditcontentrule ( 2.5.6.6 NAME 'bare' NOT telephoneNumber )\n"
            + "ditcontentrule ( 1.2.3.5 NAME 'open' AUX guest NOT door )\n");
    assertThat(nyala.run(configuration, "verify", "--schema")).isEqualTo(ExitCode.UNSOUND);
    assertThat(nyala.err())
        .contains(
            "schema: 5 x object class 'guest' is not allowed by the content rule 'bare': 'cn=g1,",
            "schema: 1 x the attribute door is not allowed by the content rule 'open': 'cn=v,dc=example,dc=com'");
    define(
        DEFINITIONS
            .replace("SUP person STRUCTURAL", "SUP person AUXILIARY")
            .replace("SUP person AUX", "AUX"));
    assertThat(nyala.run(configuration, "verify", "--schema")).isEqualTo(ExitCode.UNSOUND);
    assertThat(nyala.err())
        .contains("schema: 1 x no structural object class: 'cn=v,dc=example,dc=com'");
    define(DEFINITIONS.replace("'guest' AUXILIARY", "'guest' SUP top STRUCTURAL"));
    assertThat(nyala.run(configuration, "verify", "--schema")).isEqualTo(ExitCode.UNSOUND);
    assertThat(nyala.err())
        .contains("are structural and neither extends the other: 'cn=g1,dc=example,dc=com'");
  }
}
