package org.nyala.sasl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.nyala.core.Patience.eventually;

import com.unboundid.ldap.sdk.LDAPConnection;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.URI;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nyala.config.ConfigurationFile;
import org.nyala.core.TestCertificates;
import org.nyala.error.Installation;
import org.nyala.process.Processes;
import org.nyala.process.ServerProcess;
import org.nyala.server.RunningServer;

/** Tests sockets in the file system with Debian's clients. */
class LocalSocketTest {
  private static final String ROOT_BY_MAP =
      "sasl.map = [{ mechanism = EXTERNAL, match = \"gidNumber=[0-9]+\\\\+uidNumber=%d,.*\","
          + " dn = \"cn=admin\" }]";

  private static final String ENCRYPTED = "tls { certificate = \"%s\", password = %s }\n";

  @TempDir Path folder;

  private RunningServer server;

  @AfterEach
  void stop() {
    if (server != null) {
      eventually("nothing is held", () -> server.served().directory().memory().held() == 0);
      assertThat(server.served().directory().metrics().internalErrors().sum()).isZero();
      server.close();
    }
  }

  private Path socket() {
    return folder.resolve("a socket+");
  }

  private void start(String more) throws IOException {
    Path file =
        ServerProcess.configure(
            folder, "listeners = [\"ldapi://" + socket() + "\", \"ldap://127.0.0.1:0\"]\n" + more);
    server = RunningServer.start(ConfigurationFile.read(file, folder), Installation.current());
  }

  private TestCertificates.Pair certificate() throws Exception {
    return TestCertificates.make(folder, "127.0.0.1", "-keyalg EC -groupname secp256r1");
  }

  private Processes.Result whoAmI(String... options) throws Exception {
    List<String> command =
        new ArrayList<>(List.of("ldapwhoami", "-H", server.listeners().getFirst()));
    command.addAll(List.of(options));
    return Processes.ldapClient(folder, command.toArray(String[]::new));
  }

  private static long uid() throws IOException {
    return ((Number) Files.getAttribute(Path.of("/proc/self"), "unix:uid")).longValue();
  }

  @Test
  void shouldKnowTheProcessAtTheOtherEnd() throws Exception {
    start("ldapi.mode = \"rw-rw----\"");
    assertThat(server.listeners().getFirst()).startsWith("ldapi://%2F").contains("a%20socket%2B");
    assertThat(server.listeners().get(1)).startsWith("ldap://127.0.0.1:");
    assertThat(Files.getPosixFilePermissions(folder.resolve("a socket+.lock")))
        .isEqualTo(PosixFilePermissions.fromString("rw-------"));
    assertThat(Files.getPosixFilePermissions(socket()))
        .isEqualTo(PosixFilePermissions.fromString("rw-rw----"));
    assertThat(whoAmI("-Q", "-Y", "EXTERNAL").shouldSucceed().out())
        .matches("dn:gidNumber=\\d+\\+uidNumber=" + uid() + ",cn=peercred,cn=external,cn=auth\\s*");
    assertThat(whoAmI("-x").shouldSucceed().out().strip()).isEqualTo("anonymous");
    assertThat(whoAmI("-x", "-D", "cn=admin", "-w", "admin").shouldSucceed().out().strip())
        .isEqualTo("dn:cn=admin");
    // Nobody acts as another.
    assertThat(whoAmI("-Q", "-Y", "EXTERNAL", "-X", "dn:cn=admin").exitCode()).isNotZero();
    String rootDse =
        Processes.ldapClient(
                folder,
                "ldapsearch",
                "-x",
                "-LLL",
                "-H",
                server.listeners().getFirst(),
                "-s",
                "base",
                "-b",
                "",
                "supportedSASLMechanisms")
            .shouldSucceed()
            .out();
    assertThat(rootDse).contains(": EXTERNAL\n", ": PLAIN\n", ": SCRAM-SHA-256\n");
    server.close();
    assertThat(socket()).doesNotExist();
    server = null;
  }

  /** slapd takes it there. */
  @Test
  void shouldStackNoTls() throws Exception {
    start(ENCRYPTED.formatted(certificate().pkcs12(), TestCertificates.PASSWORD));
    Processes.Result result =
        Processes.ldapClient(
            folder,
            "openssl",
            "s_client",
            "-brief",
            "-starttls",
            "ldap",
            "-unix",
            socket().toString());
    assertThat(result.exitCode()).isNotZero();
    assertThat(result.err()).contains("Result Code: 1");
  }

  @Test
  void shouldMapProcessesToEntries() throws Exception {
    start(ROOT_BY_MAP.formatted(uid()));
    assertThat(whoAmI("-Q", "-Y", "EXTERNAL").shouldSucceed().out().strip())
        .isEqualTo("dn:cn=admin");
    assertThat(whoAmI("-Q", "-Y", "EXTERNAL", "-X", "dn:uid=x").shouldSucceed().out().strip())
        .isEqualTo("dn:uid=x");
    stop();
    start(ROOT_BY_MAP.formatted(uid() + 1));
    assertThat(whoAmI("-Q", "-Y", "EXTERNAL").shouldSucceed().out()).contains("cn=peercred");
    stop();
    // Root's name is made of what the connection says, and is not given.
    start(
        "sasl.map = [{ mechanism = EXTERNAL, match = \".*cn=(external|auth)(.*)\", dn ="
            + " \"cn=admin$2\" }]");
    assertThat(whoAmI("-Q", "-Y", "EXTERNAL").exitCode()).isNotZero();
    stop();
    start("sasl.mechanisms = [PLAIN]");
    assertThat(whoAmI("-Q", "-Y", "EXTERNAL").exitCode()).isNotZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"epoll", "nio"})
  void shouldListenWithEveryTransport(String transport) throws Exception {
    start("transport = " + transport);
    assertThat(whoAmI("-x").shouldSucceed().out().strip()).isEqualTo("anonymous");
    // NIO cannot tell who is at the other end.
    assertThat(whoAmI("-Q", "-Y", "EXTERNAL").exitCode() == 0).isEqualTo(transport.equals("epoll"));
  }

  /** Those of a user of the machine, or of all where the transport does not tell them apart. */
  @ParameterizedTest
  @ValueSource(strings = {"epoll", "nio"})
  void shouldCountWrongPasswords(String transport) throws Exception {
    int most = Math.max(4, Runtime.getRuntime().availableProcessors());
    start("transport = " + transport + ", guessing.failuresPerSource = " + most);
    for (int i = 0; i < most; i++) {
      assertThat(whoAmI("-x", "-D", "cn=guess" + i, "-w", "wrong").exitCode()).isEqualTo(49);
    }
    assertThat(whoAmI("-x", "-D", "cn=admin", "-w", "admin").exitCode()).isEqualTo(51);
    // Another source.
    int port = URI.create(server.listeners().get(1)).getPort();
    new LDAPConnection("127.0.0.1", port, "cn=admin", "admin").close();
  }

  @ParameterizedTest
  @ValueSource(ints = {71, 128})
  void shouldCountAsStrongAsConfigured(int bits) throws Exception {
    start(
        ENCRYPTED.formatted(certificate().pkcs12(), TestCertificates.PASSWORD)
            + "security.minimumStrength.any = 100, ldapi.strengthBits = "
            + bits);
    Processes.Result result = whoAmI("-x", "-D", "cn=admin", "-w", "admin");
    assertThat(result.exitCode() == 0).as(result.err()).isEqualTo(bits >= 100);
    assertThat(result.err().contains("Confidentiality required")).isEqualTo(bits < 100);
  }

  /** The limit of one address is that of one user here. */
  @Test
  void shouldBoundTheConnectionsOfAUser() throws Exception {
    start("limits.connectionsPerAddress = 2");
    try (SocketChannel one = SocketChannel.open(UnixDomainSocketAddress.of(socket()));
        SocketChannel other = SocketChannel.open(UnixDomainSocketAddress.of(socket()))) {
      eventually("both are there", () -> server.served().wire().connectionCount() == 2);
      assertThat(whoAmI("-x").exitCode()).isNotZero();
      assertThat(one.isOpen() && other.isOpen()).isTrue();
      assertThat(server.served().wire().connections())
          .hasSize(2)
          .allMatch(each -> each.peer().equals("PATH=" + socket()));
    }
    eventually("they have ended", () -> server.served().wire().connectionCount() == 0);
    assertThat(whoAmI("-x").exitCode()).isZero();
  }

  @Test
  void shouldReplaceOnlyWhatNobodyListensOn() throws Exception {
    try (ServerSocketChannel other = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      other.bind(UnixDomainSocketAddress.of(socket()));
      assertThatThrownBy(() -> start("")).hasMessageContaining("another process does");
      assertThat(socket()).exists();
    }
    // Left by a process that has ended.
    start("");
    assertThat(whoAmI("-x").exitCode()).isZero();
    stop();
    server = null;
    Files.writeString(socket(), "data");
    assertThatThrownBy(() -> start("")).hasMessageContaining("the file is not a socket");
    assertThat(socket()).hasContent("data");
    Files.delete(socket());
    Files.createSymbolicLink(socket(), folder.resolve("elsewhere"));
    assertThatThrownBy(() -> start("")).hasMessageContaining("the file is not a socket");
  }

  @ParameterizedTest
  @ValueSource(strings = {"ldapi.mode = \"rw\"", "ldapi.group = no-such-group"})
  void shouldRefuseWrongSettings(String setting) {
    assertThatThrownBy(() -> start(setting)).hasMessageNotContaining("Exception");
    assertThat(socket()).doesNotExist();
  }
}
