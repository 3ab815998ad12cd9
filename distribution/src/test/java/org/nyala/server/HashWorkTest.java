package org.nyala.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.ResultCode;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.ber.BerWriter;
import org.nyala.core.password.HashBounds;
import org.nyala.error.ExitCode;
import org.nyala.process.ServerProcess;

/** Tests passwords that take as long to check as a server allows, and longer. */
class HashWorkTest {
  private static final String BASE = "dc=example,dc=com";
  private static final String NAME = "uid=slow," + BASE;

  /** The number of queued attempts: some minutes for each on the only hash thread. */
  private static final int PASSWORDS = 300;

  @TempDir Path folder;

  private ServerProcess start() throws Exception {
    ServerProcess server =
        ServerProcess.start(
            folder, "dispatch { hashThreads = 1 }, limits { drainTimeoutSeconds = 1 }");
    try (LDAPConnection root = server.client("cn=admin", "admin")) {
      root.add("dn: " + BASE, "objectClass: domain", "dc: example");
      root.add(
          NAME,
          new Attribute("objectClass", "account", "simpleSecurityObject"),
          new Attribute("uid", "slow"),
          new Attribute("userPassword", passwords()));
      root.add(
          "uid=other," + BASE,
          new Attribute("objectClass", "account", "simpleSecurityObject"),
          new Attribute("uid", "other"),
          new Attribute("userPassword", "{CRYPT}$1$saltsalt$9xy1btjgzLYfb7hivXtC//"));
    }
    return server;
  }

  private static String[] passwords() {
    String settings = "{CRYPT}$6$rounds=" + HashBounds.DEFAULT.cryptRounds() + "$salt";
    return IntStream.range(0, PASSWORDS).mapToObj(i -> settings + i + "$x").toArray(String[]::new);
  }

  /** Opens a connection that sends a bind and does not wait for the answer. */
  private static Socket attempt(ServerProcess server) throws Exception {
    BerWriter bind = new BerWriter().integer(3).text(NAME).text(0x80, "wrong");
    BerWriter message = new BerWriter().integer(1).constructed(0x60, bind);
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port());
    socket.getOutputStream().write(new BerWriter().sequence(message).toByteArray());
    try (LDAPConnection root = server.client("cn=admin", "admin")) {
      assertThat(root.getEntry(NAME)).isNotNull();
    }
    return socket;
  }

  @Test
  void shouldStopWhileItHashes() throws Exception {
    ServerProcess server = start();
    try (Socket _ = attempt(server)) {
      server.stop();
      assertThat(server.exitCode()).isEqualTo(ExitCode.OK);
    } finally {
      server.close();
    }
  }

  @Test
  void shouldHashForOthersWhenNobodyWaits() throws Exception {
    try (ServerProcess server = start()) {
      for (int i = 0; i < 20; i++) {
        attempt(server).close();
      }
      server.client("uid=other," + BASE, "secret").close();
    }
  }

  @Test
  void shouldRefuseWhatTakesLonger() throws Exception {
    try (ServerProcess server = start();
        LDAPConnection root = server.client("cn=admin", "admin")) {
      String endless = "{CRYPT}$6$rounds=999999999$saltsalt$x";
      for (ModificationType type :
          new ModificationType[] {ModificationType.ADD, ModificationType.REPLACE}) {
        assertThatThrownBy(() -> root.modify(NAME, new Modification(type, "userPassword", endless)))
            .isInstanceOfSatisfying(
                LDAPException.class,
                e -> assertThat(e.getResultCode()).isEqualTo(ResultCode.CONSTRAINT_VIOLATION))
            .hasMessageContaining("password.maximumCryptRounds");
      }
    }
  }
}
