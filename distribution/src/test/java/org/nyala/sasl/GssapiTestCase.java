package org.nyala.sasl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;

import com.unboundid.ldap.protocol.BindResponseProtocolOp;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.ResultCode;
import java.nio.file.Path;
import javax.security.auth.Subject;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.metrics.ServerMetrics;
import org.nyala.process.LocalServer;
import org.nyala.server.RunningServer;

/** A realm of Kerberos, and a server in it. */
abstract class GssapiTestCase {
  static final String BASE = "dc=example,dc=com";
  static final String ANN = "uid=ann," + BASE;
  static final int TIMEOUT_SECONDS = 3;
  static final int TOKEN_BYTES = 60_000;

  @TempDir static Path folder;

  static KerberosRealm realm;
  static RunningServer server;
  static Subject ann;
  static Subject bob;

  /**
   * Starts both.
   *
   * @param more further lines of the configuration
   */
  static void serve(String more) throws Exception {
    realm = KerberosRealm.start(folder, "ann", "bob", "chief");
    server =
        LocalServer.start(
            folder,
            more
                + """

                sasl.timeoutSeconds = %d
                sasl.map = [
                  { mechanism = GSSAPI, match = "chief@EXAMPLE\\\\.COM", dn = "cn=admin" }
                  { mechanism = GSSAPI, match = "(ann|chief)@EXAMPLE\\\\.COM", search = "ldap:///??sub?(uid=$1)" }
                  { mechanism = GSSAPI, match = "to-(.+)", dn = "uid=$1,dc=example,dc=com" }
                  { match = "(.+)@EXAMPLE\\\\.COM", dn = "cn=admin" }
                ]
                """
                    .formatted(TIMEOUT_SECONDS)
                + realm.configuration("tokenBytes = " + TOKEN_BYTES));
    ann = realm.login("ann");
    bob = realm.login("bob");
  }

  /** Adds the entries of the realm's users. */
  static void addUsers(LDAPConnection root) throws Exception {
    root.add("dn: " + BASE, "objectClass: domain", "dc: example");
    root.add("dn: " + ANN, "objectClass: account", "uid: ann");
  }

  @AfterEach
  void shouldBeAtRest() {
    eventually("every connection has ended", () -> server.served().wire().connectionCount() == 0);
    eventually("nothing is held", () -> server.served().directory().memory().held() == 0);
    assertThat(metrics().internalErrors().sum()).isZero();
  }

  @AfterAll
  static void stop() throws Exception {
    // Either may have failed to start.
    if (server != null) {
      server.close();
    }
    if (realm != null) {
      realm.close();
    }
    server = null;
    realm = null;
  }

  static ServerMetrics metrics() {
    return server.served().directory().metrics();
  }

  static GssapiClient client(Subject user) throws Exception {
    return GssapiClient.connect(LocalServer.port(server), user);
  }

  /** A message of an exchange is refused, and the client is anonymous. */
  static void shouldFail(GssapiClient client, byte[] message, ResultCode code) throws Exception {
    BindResponseProtocolOp answer = client.step(message);
    assertThat(answer.getResultCode()).as("%s", answer).isEqualTo(code.intValue());
    client.write(client.whoAmI());
    assertThat(GssapiClient.name(client.clear().getExtendedResponseProtocolOp())).isEmpty();
  }
}
