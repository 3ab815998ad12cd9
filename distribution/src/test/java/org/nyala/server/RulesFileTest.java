package org.nyala.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SearchScope;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.error.ConfigurationException;
import org.nyala.management.bean.ServerMXBean.Reloaded;
import org.nyala.process.LocalServer;
import org.nyala.process.ServerProcess;

/** Starts and reloads a server whose configuration names a file of access rules. */
@Timeout(300)
class RulesFileTest {
  private static final String SUFFIX = "dc=example,dc=com";
  private static final String WITH_RULES = "access.rules = access.rules";
  private static final String FOR_USERS = "to all\n  users may read\n";
  private static final String FOR_ALL = "to all\n  all may read\n";
  private static final String COLOUR =
      "( 1.3.6.1.4.1.55555.1.1 NAME 'colour' EQUALITY caseIgnoreMatch"
          + " SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 )";

  @TempDir Path folder;

  private RunningServer server;
  private LDAPConnection root;
  private LDAPConnection stranger;

  @BeforeEach
  void start() throws Exception {
    rules(FOR_USERS);
    serve();
    root.add("dn: " + SUFFIX, "objectClass: domain", "dc: example");
  }

  private void serve() throws Exception {
    Path file = ServerProcess.configure(folder, WITH_RULES);
    server = LocalServer.startFrom(file, folder);
    root = LocalServer.connectAsRoot(server);
    stranger = LocalServer.connect(server);
  }

  @AfterEach
  void stop() {
    root.close();
    stranger.close();
    server.close();
  }

  private void rules(String text) throws IOException {
    Files.writeString(folder.resolve("access.rules"), text);
  }

  private Reloaded reload() {
    return server.served().control().reload();
  }

  private void assertStrangersRead(boolean allowed) throws LDAPException {
    assertThat(stranger.getEntry(SUFFIX) != null).isEqualTo(allowed);
  }

  @Test
  void shouldNoticeThatOnlyTheFileHasChanged() throws Exception {
    assertStrangersRead(false);
    assertThat(reload().tookEffect()).isEmpty();

    rules(FOR_ALL);

    assertThat(reload().tookEffect())
        .containsExactly("nyala.access.rules: the rules in the file have changed");
    assertStrangersRead(true);
    assertThat(reload().tookEffect()).isEmpty();
  }

  @Test
  void shouldTakeRulesAwayAndBackByTheConfiguration() throws Exception {
    rules(FOR_ALL);
    reload();
    ServerProcess.configure(folder, "");
    Reloaded without = reload();
    assertThat(without.tookEffect())
        .containsExactly("nyala.access.rules = null (was \"access.rules\")");
    assertThat(without.needRestart()).isEmpty();
    assertStrangersRead(false);
    ServerProcess.configure(folder, WITH_RULES);
    assertThat(reload().tookEffect())
        .containsExactly("nyala.access.rules = \"access.rules\" (was null)");
    assertStrangersRead(true);
  }

  @Test
  void shouldChangeNothingIfTheFileHasAFault() throws Exception {
    rules(FOR_ALL);
    reload();
    rules("to attributes mial\n  users may read\n");
    assertThatThrownBy(this::reload)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(
            "access.rules:1:15: found 'mial', expected an attribute of the schema");
    Files.delete(folder.resolve("access.rules"));
    assertThatThrownBy(this::reload)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("nyala.access.rules: ")
        .hasMessageContaining(": no such file");
    assertStrangersRead(true);
    rules(FOR_USERS);
    assertThat(reload().tookEffect()).hasSize(1);
    assertStrangersRead(false);
  }

  @Test
  void shouldNotStartWithAFault() throws Exception {
    stop();
    rules("to all\n  users may reed\n");
    assertThatThrownBy(this::serve)
        .isInstanceOf(ConfigurationException.class)
        .hasMessageStartingWith("access.rules:2:13: found 'reed', expected ");
    rules(FOR_USERS);
    serve();
  }

  @Test
  void shouldReadRulesByTheSchemaOfTheStore() throws Exception {
    root.modify("cn=Subschema", new Modification(ModificationType.ADD, "attributeTypes", COLOUR));
    rules("to attributes colour\n  users may read\n" + FOR_ALL);
    assertThat(reload().tookEffect()).hasSize(1);
    stop();
    serve();
    assertThatThrownBy(
            () ->
                root.modify(
                    "cn=Subschema",
                    new Modification(ModificationType.DELETE, "attributeTypes", COLOUR)))
        .isInstanceOfSatisfying(
            LDAPException.class,
            e -> assertThat(e.getResultCode()).isEqualTo(ResultCode.UNWILLING_TO_PERFORM))
        .hasMessageContaining("access.rules:1:15: found 'colour', expected an attribute");
    rules(FOR_ALL);
    reload();
    root.modify(
        "cn=Subschema", new Modification(ModificationType.DELETE, "attributeTypes", COLOUR));
    assertThat(stranger.search(SUFFIX, SearchScope.SUB, "(objectClass=*)").getEntryCount())
        .isEqualTo(1);
  }
}
