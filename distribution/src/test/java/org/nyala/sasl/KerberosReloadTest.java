package org.nyala.sasl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.unboundid.ldap.sdk.LDAPConnection;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.security.auth.Subject;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.error.ConfigurationException;
import org.nyala.process.LocalServer;
import org.nyala.process.ServerProcess;
import org.nyala.server.RunningServer;

/** Tests when the process takes over a configuration of Kerberos, and when it puts it back. */
class KerberosReloadTest {
  private static final String KRB5_CONF = "java.security.krb5.conf";
  private static final String AT_START = System.getProperty(KRB5_CONF);
  private static final String MISTAKE = "\nlimits.sizeLimit = many\n";

  @TempDir Path folder;

  private KerberosRealm realm;
  private RunningServer server;

  @BeforeEach
  void startRealm() throws Exception {
    realm = KerberosRealm.start(folder, "ann");
  }

  @AfterEach
  void stop() {
    if (server != null) {
      server.close();
    }
    realm.close();
    assertThat(inUse()).isEqualTo(AT_START);
  }

  private void start(String configuration) throws Exception {
    Path file = ServerProcess.configure(folder, configuration);
    server = LocalServer.startFrom(file, folder);
  }

  private void reload(String configuration) throws Exception {
    Path _ = ServerProcess.configure(folder, configuration);
    assertThat(server.served().control().reload().needRestart()).isEmpty();
  }

  private void shouldRefuse(String configuration, String words) throws Exception {
    Path _ = ServerProcess.configure(folder, configuration);
    assertThatThrownBy(() -> server.served().control().reload())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(words);
  }

  private String own() {
    return realm.configuration("");
  }

  /** Returns the configuration of a server with another file. */
  private String with(Path krb5Conf) {
    return own().replace(quoted(krb5Conf()), quoted(krb5Conf));
  }

  private static String quoted(Path file) {
    return "\"" + file + "\"";
  }

  private Path krb5Conf() {
    return folder.resolve("realm/krb5.conf");
  }

  private static String inUse() {
    return System.getProperty(KRB5_CONF);
  }

  private List<String> mechanisms() throws Exception {
    try (LDAPConnection client = LocalServer.connect(server)) {
      return List.of(client.getRootDSE().getAttributeValues("supportedSASLMechanisms"));
    }
  }

  /** The realm of a new login is found in the file that the JDK has read. */
  private void shouldServe() throws Exception {
    Subject ann = realm.login("ann");
    try (GssapiClient client = GssapiClient.connect(LocalServer.port(server), ann)) {
      assertThat(client.bound(ann, GssapiClient.AUTH_CONF).identity())
          .isEqualToIgnoringCase("dn:uid=ann,cn=example.com,cn=gssapi,cn=auth");
    }
  }

  @Test
  void shouldChangeNothingIfAReloadIsRefused() throws Exception {
    start("");
    shouldRefuse(own() + MISTAKE, "nyala.limits.sizeLimit");
    assertThat(inUse()).isEqualTo(AT_START);
    assertThat(mechanisms()).doesNotContain("GSSAPI");
    reload(own());
    assertThat(inUse()).isEqualTo(krb5Conf().toString());
    shouldServe();
    Path other = Files.copy(krb5Conf(), folder.resolve("other.conf"));
    Path malformed = Files.writeString(folder.resolve("malformed.conf"), "[libdefaults]\n}\n}\n");
    shouldRefuse(with(other) + MISTAKE, "nyala.limits.sizeLimit");
    assertThat(inUse()).isEqualTo(krb5Conf().toString());
    shouldRefuse(with(malformed), malformed.toString());
    assertThat(inUse()).isEqualTo(krb5Conf().toString());
    shouldServe();
    reload(with(other));
    assertThat(inUse()).isEqualTo(other.toString());
    shouldServe();
  }

  @Test
  void shouldPutBackWhatTheProcessWasStartedWith() throws Exception {
    start(own());
    assertThat(inUse()).isEqualTo(krb5Conf().toString());
    shouldServe();
    reload("sasl.gssapi.keytab = " + quoted(realm.keytab("server")));
    assertThat(inUse()).isEqualTo(AT_START);
    assertThat(mechanisms()).contains("GSSAPI");
    reload(own());
    assertThat(inUse()).isEqualTo(krb5Conf().toString());
    shouldServe();
    reload("");
    assertThat(inUse()).isEqualTo(AT_START);
    assertThat(mechanisms()).doesNotContain("GSSAPI");
    reload(own());
    shouldServe();
    server.close();
    server = null;
  }

  @Test
  void shouldNotStartWithAFileThatCannotBeUsed() throws Exception {
    Path malformed = Files.writeString(folder.resolve("malformed.conf"), "[libdefaults]\n}\n}\n");
    assertThatThrownBy(() -> start(with(malformed)))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining(malformed.toString());
  }
}
