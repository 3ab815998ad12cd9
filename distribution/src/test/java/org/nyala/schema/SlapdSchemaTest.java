package org.nyala.schema;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.ResultCode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.nyala.config.ConfigurationFile;
import org.nyala.error.Installation;
import org.nyala.process.LocalServer;
import org.nyala.process.Processes;
import org.nyala.process.ServerProcess;
import org.nyala.server.RunningServer;

/** Tests clients that add definitions as they do it with slapd, to {@code cn=schema,cn=config}. */
class SlapdSchemaTest extends SchemaChangeTestCase {
  private static final Path OF_SLAPD = Path.of("/etc/ldap/schema");

  private void addEntry(String name, String... attributes) throws Exception {
    String[] lines = new String[attributes.length + 2];
    lines[0] = "dn: " + name;
    lines[1] = "objectClass: olcSchemaConfig";
    System.arraycopy(attributes, 0, lines, 2, attributes.length);
    connection.add(lines);
  }

  /** Debian's files, added as its documentation does it: by root over the socket of the machine. */
  @Test
  void shouldTakeEachFileOfSlapdFromLdapadd() throws Exception {
    Path socket = folder.resolve("ldapi");
    Path file =
        ServerProcess.configure(
            Files.createDirectory(folder.resolve("local")),
            "listeners = [\"ldapi://"
                + socket
                + "\"]\nsasl.map = [{ mechanism = EXTERNAL,"
                + " match = \"gidNumber=[0-9]+\\\\+uidNumber=.*\", dn = \"cn=admin\" }]");
    List<Path> files;
    try (Stream<Path> listed = Files.list(OF_SLAPD)) {
      files = listed.filter(each -> each.toString().endsWith(".ldif")).sorted().toList();
    }
    assertThat(files).hasSizeGreaterThan(12);
    try (RunningServer local =
        RunningServer.start(ConfigurationFile.read(file, folder), Installation.current())) {
      String url = local.listeners().getFirst();
      for (int run = 0; run < 2; run++) {
        for (Path each : files) {
          Processes.ldapClient(
                  folder, "ldapadd", "-Q", "-Y", "EXTERNAL", "-H", url, "-f", each.toString())
              .shouldSucceed();
        }
      }
      String schema =
          Processes.ldapClient(
                  folder,
                  "ldapsearch",
                  "-x",
                  "-LLL",
                  "-o",
                  "ldif-wrap=no",
                  "-H",
                  url,
                  "-b",
                  SCHEMA,
                  "-s",
                  "base",
                  TYPES,
                  CLASSES)
              .shouldSucceed()
              .out();
      for (String name : List.of("corbaIor", "c-l", "role", "sAMAccountName", "changeNumber")) {
        assertThat(schema.split(" NAME '" + name + "'", -1)).as(name).hasSize(2);
      }
      assertThat(schema)
          .containsPattern(
              "2[.]5[.]4[.]72 NAME 'role' DESC '[^']+' SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 ");
    }
  }

  @Test
  void shouldAddWhatTheSchemaLacks() throws Exception {
    addEntry(
        "cn=paint, cn=schema,cn=config",
        "cn: paint",
        "olcObjectIdentifier: {0}paint 1.3.6.1.4.1.55555",
        "olcObjectIdentifier: {1}paintType paint:1",
        "olcAttributeTypes: {0}( paintType:1 NAME 'colour' EQUALITY caseIgnoreMatch"
            + " SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 )",
        "olcAttributeTypes: {1}( 2.5.4.4 NAME ( 'sn' 'surname' ) SUP name )",
        "olcObjectClasses: {0}( paint:2.1 NAME 'painted' SUP top AUXILIARY MAY colour )");
    assertThat(shown(TYPES)).contains(COLOUR);
    assertThat(shown(CLASSES)).contains(PAINTED);
    addTop("objectClass: painted", "colour: Red");

    connection.modify(
        "cn={12}paint,cn=schema,cn=config",
        new Modification(
            ModificationType.ADD,
            "olcAttributeTypes",
            "( 1.3.6.1.4.1.55555.1.2 NAME 'gloss' SUP colour )"));
    restart();
    assertThat(shown(TYPES)).contains(COLOUR, "( 1.3.6.1.4.1.55555.1.2 NAME 'gloss' SUP colour )");
    assertThat(count("(colour=red)")).isEqualTo(1);
    assertStoreIsSound();
  }

  @Test
  void shouldSayWhatItDoesNotTake() throws Exception {
    String name = "cn=other,cn=schema,cn=config";
    assertRefused(
        () -> addEntry(name, "olcAttributeTypes: ( 2.5.4.4 NAME 'sn' SYNTAX 1.2.3 )"),
        ResultCode.UNWILLING_TO_PERFORM,
        "'sn' differs from the definition in force in");
    assertRefused(
        () -> addEntry(name, "olcAttributeTypes: ( paint:1 NAME 'colour' )"),
        ResultCode.UNWILLING_TO_PERFORM,
        "olcattributetypes: value 1: expected a numeric object identifier or a macro");
    assertRefused(
        () -> addEntry(name, "olcLogLevel: stats"),
        ResultCode.UNWILLING_TO_PERFORM,
        "'olcLogLevel' is no part of a schema");
    assertRefused(
        () ->
            connection.modify(
                name, new Modification(ModificationType.DELETE, "olcAttributeTypes", "{1}")),
        ResultCode.UNWILLING_TO_PERFORM,
        "definitions are deleted and replaced in cn=Subschema");
    assertRefused(
        () -> addEntry("cn=x,cn=other,cn=schema,cn=config", "cn: x"),
        ResultCode.UNWILLING_TO_PERFORM,
        "no naming context of this server holds the name");
    try (LDAPConnection anybody = LocalServer.connect(server)) {
      assertRefused(
          () -> anybody.add("dn: " + name, "objectClass: olcSchemaConfig", "cn: other"),
          ResultCode.STRONG_AUTH_REQUIRED);
    }
  }
}
