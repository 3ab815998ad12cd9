package org.nyala.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.unboundid.ldap.sdk.LDAPConnection;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.process.LocalServer;
import org.nyala.process.ServerProcess;
import org.nyala.server.RunningServer;

/** Reloads with schema files that have changed: a reload refuses what the next start would. */
class ReloadedSchemaTest {
  private static final String HERD =
      "objectclass ( 1.3.6.1.4.1.99999.2 NAME 'herd' SUP top STRUCTURAL MUST cn MAY description"
          + " )\n";

  @TempDir Path folder;

  private Path schema;
  private RunningServer server;

  @BeforeEach
  void start() throws Exception {
    schema = Files.createDirectory(folder.resolve("own")).resolve("herd.schema");
    Files.writeString(schema, HERD);
    Path file =
        ServerProcess.configure(folder, "schema.folders = [\"" + schema.getParent() + "\"]");
    server = LocalServer.startFrom(file, folder);
    try (LDAPConnection client = LocalServer.connectAsRoot(server)) {
      client.add("dn: dc=example,dc=com", "objectClass: domain", "dc: example");
      client.add("dn: cn=one,dc=example,dc=com", "objectClass: herd", "cn: one");
    }
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private void assertRefused(String words) {
    assertThatThrownBy(() -> server.served().control().reload())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(words);
  }

  @Test
  void shouldRefuseWhatAStartRefuses() throws Exception {
    assertThat(server.served().control().reload().needRestart()).isEmpty();
    Files.writeString(schema, "objectclass ( 1.2.3 NAME 'herd' SUP nothing )\n");
    assertRefused("herd.schema");
    Files.writeString(schema, "objectclass ( 1.2.3");
    assertRefused("herd.schema");
    Files.writeString(schema, "\n");
    assertRefused("has object classes that the schema does not define: ");
    Files.delete(schema);
    Files.delete(schema.getParent());
    assertRefused("there is no folder");
    Files.createDirectory(schema.getParent());
    Files.writeString(schema, HERD);
    assertThat(server.served().control().reload().needRestart()).isEmpty();
  }

  @Test
  void shouldSayThatOtherDefinitionsTakeARestart() throws Exception {
    Files.writeString(schema, HERD.replace("MAY description", "MAY ( description $ seeAlso )"));
    assertThat(server.served().control().reload().needRestart())
        .isEqualTo(List.of("nyala.schema: the definitions in the files have changed"));
  }
}
