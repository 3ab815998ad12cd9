package org.nyala.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.unboundid.ldap.sdk.Entry;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SearchResultEntry;
import com.unboundid.ldap.sdk.SearchScope;
import com.unboundid.ldif.LDIFException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.cli.Main;
import org.nyala.config.ConfigurationFile;
import org.nyala.config.NyalaConfig;
import org.nyala.error.ConfigurationException;
import org.nyala.error.ExitCode;
import org.nyala.error.Installation;
import org.nyala.process.LocalServer;
import org.nyala.process.ServerProcess;

/** Tests servers of several naming contexts, beginning with an empty data directory. */
class StoreFactoryTest {
  @TempDir Path folder;

  private NyalaConfig configuration(String suffixes) throws IOException {
    return ConfigurationFile.read(
        ServerProcess.configure(folder, "suffixes = " + suffixes), folder);
  }

  private RunningServer serve(String suffixes) throws IOException {
    return RunningServer.start(configuration(suffixes), Installation.current());
  }

  private static void add(LDAPConnection connection, String... ldif)
      throws LDAPException, LDIFException {
    connection.add(new Entry(ldif));
  }

  private static List<String> search(LDAPConnection connection, String base, SearchScope scope)
      throws LDAPException {
    return connection.search(base, scope, "(objectClass=*)", "1.1").getSearchEntries().stream()
        .map(SearchResultEntry::getDN)
        .toList();
  }

  private static ResultCode codeOf(Throwable e) {
    return ((LDAPException) e).getResultCode();
  }

  @Test
  void shouldFillSeveralEmptyNamingContextsAndHoldThemAcrossRestarts() throws Exception {
    String two = "[\"dc=example,dc=com\", \"o=Other\"]";
    try (RunningServer server = serve(two);
        LDAPConnection connection = LocalServer.connectAsRoot(server)) {
      assertThat(connection.getRootDSE().getNamingContextDNs())
          .containsExactlyInAnyOrder("dc=example,dc=com", "o=Other");
      assertThatThrownBy(() -> search(connection, "o=other", SearchScope.SUB))
          .satisfies(e -> assertThat(codeOf(e)).isEqualTo(ResultCode.NO_SUCH_OBJECT));
      assertThatThrownBy(
              () -> add(connection, "dn: ou=x,o=other", "objectClass: organizationalUnit", "ou: x"))
          .satisfies(e -> assertThat(codeOf(e)).isEqualTo(ResultCode.NO_SUCH_OBJECT));
      add(connection, "dn: dc=example,dc=com", "objectClass: domain", "dc: example");
      add(connection, "dn: o=other", "objectClass: organization", "o: other");
      add(connection, "dn: ou=x,o=other", "objectClass: organizationalUnit", "ou: x");
      assertThatThrownBy(
              () -> connection.modifyDN("ou=x,o=other", "ou=x", true, "dc=example,dc=com"))
          .isInstanceOf(LDAPException.class);
    }
    String three = "[\"o=Third\", \"o=Other\", \"dc=example,dc=com\"]";
    try (RunningServer server = serve(three);
        LDAPConnection connection = LocalServer.connectAsRoot(server)) {
      assertThat(connection.getRootDSE().getNamingContextDNs()).contains("o=Third").hasSize(3);
      assertThat(search(connection, "o=other", SearchScope.SUB))
          .containsExactly("o=other", "ou=x,o=other");
      assertThat(search(connection, "dc=example,dc=com", SearchScope.SUB)).hasSize(1);
      connection.delete("dc=example,dc=com");
      add(connection, "dn: dc=example,dc=com", "objectClass: domain", "dc: example");
      assertThatThrownBy(() -> search(connection, "", SearchScope.SUB))
          .satisfies(e -> assertThat(codeOf(e)).isEqualTo(ResultCode.NO_SUCH_OBJECT));
    }
    try (RunningServer server = serve("[]");
        LDAPConnection connection = LocalServer.connectAsRoot(server)) {
      assertThat(connection.getRootDSE().getNamingContextDNs()).hasSize(3);
    }
  }

  @Test
  void shouldHoldTheWholeTreeBelowTheEmptySuffix() throws Exception {
    try (RunningServer server = serve("[\"\"]");
        LDAPConnection connection = LocalServer.connectAsRoot(server)) {
      assertThat(connection.getRootDSE().getNamingContextDNs()).containsExactly("");
      assertThat(search(connection, "", SearchScope.SUB)).isEmpty();
      add(connection, "dn: dc=com", "objectClass: domain", "dc: com");
      add(connection, "dn: o=other", "objectClass: organization", "o: other");
      add(connection, "dn: dc=example,dc=com", "objectClass: domain", "dc: example");
      assertThat(search(connection, "", SearchScope.BASE)).containsExactly("");
      assertThat(search(connection, "", SearchScope.ONE))
          .containsExactlyInAnyOrder("dc=com", "o=other");
      assertThat(search(connection, "", SearchScope.SUB))
          .containsExactlyInAnyOrder("dc=com", "o=other", "dc=example,dc=com");
      assertThat(search(connection, "", SearchScope.SUBORDINATE_SUBTREE)).hasSize(3);
      assertThat(search(connection, "dc=com", SearchScope.SUB)).hasSize(2);
      connection.modifyDN("dc=example,dc=com", "dc=example", true, "o=other");
      assertThat(search(connection, "o=other", SearchScope.SUB)).hasSize(2);
      assertThatThrownBy(() -> search(connection, "o=none", SearchScope.SUB))
          .satisfies(e -> assertThat(codeOf(e)).isEqualTo(ResultCode.NO_SUCH_OBJECT));
    }
  }

  @Test
  void shouldSayWhatIsWrongWithSuffixes() throws Exception {
    assertThatThrownBy(() -> serve("[\"nonsense\"]"))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("nyala.suffixes: expected a DN, found 'nonsense'");
    assertThatThrownBy(() -> serve("[\"dc=com\", \"dc=example,dc=com\"]"))
        .hasMessageContaining("dc=example,dc=com")
        .hasMessageContaining("dc=com");
    assertThat(configuration("[]").hasData()).isFalse();
    assertThatThrownBy(() -> configuration("[]").requireServable())
        .hasMessageContaining("nyala import")
        .hasMessageContaining("nyala.suffixes");
    serve("[\"dc=example,dc=com\"]").close();
    assertThatThrownBy(() -> serve("[\"o=other\"]"))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("holds the naming context 'dc=example,dc=com'");
    assertThatThrownBy(() -> serve("[\"dc=example,dc=com\", \"dc=com\"]"))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("must not be nested");
    serve("[\"dc=example,dc=com\"]").close();
  }

  @Test
  void shouldImportTheConfiguredSuffixes() throws Exception {
    configuration("[\"o=a\", \"o=b\"]");
    Path ldif =
        Files.writeString(
            folder.resolve("in.ldif"),
            """
            dn: o=a
            objectClass: organization

            dn: o=b
            objectClass: organization

            dn: o=c
            objectClass: organization
            """);
    int exitCode =
        Main.commandLine()
            .execute(
                "import",
                "--config",
                folder.resolve("test.conf").toString(),
                "--data",
                folder.resolve("data").toString(),
                ldif.toString());
    assertThat(exitCode).isEqualTo(ExitCode.REJECTED);
    try (RunningServer server = serve("[\"o=a\", \"o=b\"]");
        LDAPConnection connection = LocalServer.connectAsRoot(server)) {
      assertThat(search(connection, "o=b", SearchScope.SUB)).containsExactly("o=b");
    }
  }

  @Test
  void shouldNotStartWithARootPasswordThatNothingMatches() throws IOException {
    for (String password : List.of("{SSHA}x", "{NOTHING}x")) {
      String damaged = "root.password = \"" + password + "\"";
      assertThatThrownBy(() -> LocalServer.start(folder, damaged))
          .isInstanceOf(ConfigurationException.class)
          .hasMessageContaining(":4: nyala.root.password: the text after the scheme");
    }
  }
}
