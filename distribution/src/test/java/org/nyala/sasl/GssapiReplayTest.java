package org.nyala.sasl;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.ResultCode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.nyala.process.LocalServer;
import org.nyala.process.ServerProcess;

/** Tests that exchanges of GSSAPI prove nothing once somebody has recorded them as a whole. */
class GssapiReplayTest extends GssapiTestCase {
  private static final int BUFFER = 1 << 16;

  @BeforeAll
  static void serve() throws Exception {
    serve("");
    try (LDAPConnection root = LocalServer.connectAsRoot(server)) {
      addUsers(root);
    }
  }

  /** Returns the messages of a client that has bound. */
  private static List<byte[]> recorded() throws Exception {
    try (GssapiClient client = client(ann)) {
      byte[] _ = client.untilChoice(ann);
      byte[] last = client.choice(GssapiClient.AUTH_CONF, BUFFER, "");
      assertThat(client.step(last).getResultCode()).isZero();
      assertThat(client.exchanged()).hasSize(3);
      return client.exchanged();
    }
  }

  /** The server has seen the token. */
  @Test
  void shouldRefuseReplays() throws Exception {
    List<byte[]> recorded = recorded();
    try (GssapiClient client = client(ann)) {
      shouldFail(client, recorded.getFirst(), ResultCode.INVALID_CREDENTIALS);
      // There is no exchange that the others could go on with.
      shouldFail(client, recorded.get(1), ResultCode.PROTOCOL_ERROR);
      shouldFail(client, recorded.getLast(), ResultCode.INVALID_CREDENTIALS);
    }
  }

  /** A server with the same keys that has not seen the token, as after a restart. */
  @Test
  void shouldRefuseReplaysElsewhere() throws Exception {
    List<byte[]> recorded = recorded();
    Path elsewhere = Files.createDirectory(folder.resolve("elsewhere"));
    try (ServerProcess other = ServerProcess.start(elsewhere, realm.configuration(""))) {
      try (GssapiClient client = GssapiClient.connect(other.port(), ann)) {
        byte[] _ = GssapiClient.challenge(client.step(recorded.getFirst()));
        byte[] _ = GssapiClient.challenge(client.step(recorded.get(1)));
        // Its keys are of the former exchange.
        shouldFail(client, recorded.getLast(), ResultCode.INVALID_CREDENTIALS);
      }
      try (GssapiClient client = GssapiClient.connect(other.port(), ann)) {
        assertThat(client.bound(ann, GssapiClient.AUTH_CONF).identity()).contains("uid=ann,");
      }
    }
  }
}
