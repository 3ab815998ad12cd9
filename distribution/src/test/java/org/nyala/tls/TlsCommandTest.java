package org.nyala.tls;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.error.ExitCode;
import org.nyala.process.LocalCommands;
import org.nyala.process.LocalServer;
import org.nyala.process.Processes;
import org.nyala.server.RunningServer;

/** Tests {@code nyala tls} with a server and a client that trusts what it has made. */
class TlsCommandTest {
  private static final String[] NAMES = {"--name", "ldap.example.com", "--name", "127.0.0.1"};

  @TempDir Path folder;

  private final LocalCommands nyala = new LocalCommands();

  private int run(String... arguments) {
    return nyala.run(arguments);
  }

  private Path make() {
    Path file = folder.resolve("server.pem");
    assertThat(run("tls", "make", file.toString(), NAMES[0], NAMES[1], NAMES[2], NAMES[3]))
        .as(nyala.err())
        .isEqualTo(ExitCode.OK);
    return file;
  }

  @Test
  void shouldMakeACertificateThatClientsTrust() throws Exception {
    Path pem = make();
    Path key = folder.resolve("server.key");
    assertThat(nyala.out())
        .contains("nyala.tls.certificate = \"" + pem + "\"", "nyala.tls.key = \"" + key + "\"");
    assertThat(Files.readString(pem)).doesNotContain("PRIVATE");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(key)))
        .isEqualTo("rw-------");
    try (RunningServer server =
        LocalServer.start(
            folder,
            """
            listeners = ["ldap://127.0.0.1:0", "ldaps://127.0.0.1:0"]
            tls { certificate = "%s", key = "%s" }
            """
                .formatted(pem, key))) {
      for (String url : server.listeners()) {
        assertThat(run("tls", "show", url)).as(nyala.err()).isEqualTo(ExitCode.OK);
        assertThat(nyala.out())
            .contains(url, "TLSv1.3, TLS_", "ldap.example.com, 127.0.0.1", "EC, 256 bits")
            .containsPattern("\\((89|90) days left\\)");
      }
      Processes.ldapClient(
              folder,
              "ldapwhoami",
              "-x",
              "-o",
              "TLS_CACERT=" + pem,
              "-H",
              server.listeners().get(1),
              "-D",
              "cn=admin",
              "-w",
              "admin")
          .shouldSucceed();
    }
  }

  @Test
  void shouldReplaceNoFile() throws IOException {
    for (String name : List.of("a.key", "b.pem")) {
      Path file = Files.writeString(folder.resolve(name), "precious");
      String target = folder.resolve(name.charAt(0) + ".pem").toString();
      assertThat(run("tls", "make", target, "--name", "a")).isEqualTo(ExitCode.FAILED);
      assertThat(nyala.err()).contains("is there already");
      assertThat(file).hasContent("precious");
    }
  }

  @Test
  void shouldKnowNamesAndAddresses() throws IOException {
    Path file = folder.resolve("names.pem");
    assertThat(
            run(
                "tls",
                "make",
                file.toString(),
                "--name",
                "bücher.example",
                "--name",
                "2001:db8::1"))
        .as(nyala.err())
        .isEqualTo(ExitCode.OK);
    Path configuration =
        Files.writeString(
            folder.resolve("nyala.conf"),
            "nyala.tls { certificate = \"%s\", key = \"%s\" }"
                .formatted(file, folder.resolve("names.key")));
    assertThat(run("tls", "check", "--config", configuration.toString())).isEqualTo(ExitCode.OK);
    assertThat(nyala.out()).contains("xn--bcher-kva.example, 2001:db8:0:0:0:0:0:1");
  }

  @Test
  void shouldCheckTheFilesOfTheConfiguration() throws IOException {
    Path pem = make();
    Path configuration =
        Files.writeString(
            folder.resolve("nyala.conf"),
            """
            nyala.tls { certificate = "%s", key = "%s"
              clientCertificate = optional, clientCa = "%s", clientRevocation = ocsp }
            """
                .formatted(pem, folder.resolve("server.key"), pem));
    assertThat(run("tls", "check", "--config", configuration.toString()))
        .as(nyala.err())
        .isEqualTo(ExitCode.OK);
    assertThat(nyala.out())
        .contains(pem.toString(), "CN=ldap.example.com", "days left")
        .contains("clients: optional, trusted authorities: 1, revocation: ocsp");
    Path other =
        Files.writeString(
            folder.resolve("management.conf"),
            "nyala.management { httpTls = true, tls { certificate = \"%s\", key = \"%s\" } }"
                .formatted(pem, folder.resolve("server.key")));
    assertThat(run("tls", "check", "--config", other.toString())).isEqualTo(ExitCode.OK);
    assertThat(nyala.out()).containsOnlyOnce("subject: CN=ldap.example.com");
    Files.writeString(pem, "damaged");
    assertThat(run("tls", "check", "--config", other.toString())).isEqualTo(ExitCode.USAGE);
    assertThat(nyala.err()).startsWith("nyala: nyala.management.tls: " + pem).hasLineCount(1);
    assertThat(run("tls", "check", "--config", configuration.toString())).isEqualTo(ExitCode.USAGE);
    assertThat(nyala.err()).startsWith("nyala: nyala.tls: " + pem).hasLineCount(1);
  }

  @Test
  void shouldExplainWrongUsage() throws Exception {
    assertThat(run("tls", "make", folder.resolve("x.pem").toString())).isEqualTo(ExitCode.USAGE);
    for (String name :
        List.of("", "1.2.3.999", "abc:636", "ldap.example.com:636", "a b", "a_b", "1::2::3")) {
      assertThat(run("tls", "make", folder.resolve("x.pem").toString(), "--name", name))
          .as(name)
          .isEqualTo(ExitCode.USAGE);
    }
    assertThat(folder.resolve("x.pem")).doesNotExist();
    assertThat(folder.resolve("x.key")).doesNotExist();
    assertThat(run("tls", "make", "--name", "a")).isEqualTo(ExitCode.USAGE);
    assertThat(run("tls", "check", "--name", "a")).isEqualTo(ExitCode.USAGE);
    assertThat(run("tls", "show", "http://a")).isEqualTo(ExitCode.USAGE);
    try (RunningServer server = LocalServer.start(folder, "")) {
      assertThat(run("tls", "show", server.listeners().getFirst())).isEqualTo(ExitCode.FAILED);
      assertThat(nyala.err()).contains("does not encrypt (52)");
    }
  }
}
