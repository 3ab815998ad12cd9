package org.nyala.loadtest.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.nyala.loadtest.engine.LoadTester;
import org.nyala.loadtest.engine.StubServer;
import org.nyala.loadtest.workload.ExitCode;

class IdentityOptionsTest {
  private final LoadTester tester = new LoadTester();

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "search --mechanism=GSSAPI | --mechanism: no mechanism 'GSSAPI', but EXTERNAL, PLAIN,"
            + " SCRAM",
        "search --user=ann | --user and --authzid take --mechanism",
        "search --authzid=u:ann | --user and --authzid take --mechanism",
        "search --mechanism=SCRAM-SHA-256 | takes --user and --password-file",
        "search --mechanism=SCRAM-SHA-256 --user=ann | takes --user and --password-file",
        "search --mechanism=SCRAM-SHA-256 --password=p | takes --user and --password-file",
        "search --mechanism=SCRAM-SHA-256 --user=u --password=p --bind-dn=cn=x | --bind-dn cannot"
            + " be combined with",
        "search --password=p --password-file=f | --password cannot be combined with"
            + " --password-file",
        "search --mechanism=SCRAM-SHA-512-PLUS --user=u --password=p | needs ldaps:// or"
            + " --start-tls",
        "search --mechanism=PLAIN --user=u --password=p | --allow-clear-text",
        "search --mechanism=EXTERNAL | --mechanism EXTERNAL takes --certificate",
        "search --mechanism=EXTERNAL --user=ann | no --user and no password",
        "search --mechanism=EXTERNAL --password=p | no --user and no password",
        "bind --mechanism=SCRAM-SHA-256 --user=u --password=p | for whom there is"
            + " --people-mechanism",
        "heavy --mechanism=SCRAM-SHA-256 --user=u --password=p | for whom there is"
            + " --people-mechanism",
        "search --people-mechanism=SCRAM-SHA-256 | --people-mechanism",
        "bind --people-mechanism=EXTERNAL | people have no certificates",
        "bind --people-mechanism=PLAIN | --people-mechanism PLAIN would send passwords in clear"
            + " text",
        "bind --people-mechanism=SCRAM-SHA-256-PLUS | needs ldaps:// or --start-tls",
        "bind --people-user=u:%u | --people-user takes --people-mechanism",
        "bind --people-mechanism=SCRAM-SHA-256 --users=100001 | --users must be at most 100000 for"
            + " binds by SCRAM, whose keys are kept",
      })
  void shouldRefuseContradictions(String words, String reason) {
    String[] arguments =
        Stream.concat(
                Stream.of(words.split(" ", -1)),
                words.contains("--users")
                    ? Stream.of("--url=ldap://127.0.0.1:1")
                    : Stream.of("--url=ldap://127.0.0.1:1", "--users=1"))
            .toArray(String[]::new);
    assertThat(tester.run(arguments)).as(tester.err()).isEqualTo(ExitCode.USAGE);
    assertThat(tester.err()).contains(reason).doesNotContain("\tat ");
  }

  @Test
  void shouldReadThePasswordFromAFile(@TempDir Path folder) throws Exception {
    Path file = Files.writeString(folder.resolve("password"), "geheim\nsecond line\n");
    try (StubServer server =
        StubServer.start(
            (request, _, out) -> {
              if (request.getProtocolOpType() == 0x60) {
                assertThat(request.getBindRequestProtocolOp().getSimplePassword().stringValue())
                    .isEqualTo("geheim");
              }
              out.write(StubServer.right(request));
            })) {
      Path json = folder.resolve("out.json");
      int exit =
          tester.run(
              "search",
              "--url=ldap://127.0.0.1:" + server.address().getPort(),
              "--users=3",
              "--operations=3",
              "--connections=1",
              "--warmup-seconds=0",
              "--bind-dn=cn=service",
              "--password-file=" + file,
              "--json=" + json);
      assertThat(exit).as(tester.err()).isZero();
      assertThat(Files.readString(json)).doesNotContain("geheim");
    }
    assertThat(
            tester.run(
                "search",
                "--url=ldap://127.0.0.1:1",
                "--users=1",
                "--password-file=" + folder.resolve("none")))
        .isEqualTo(ExitCode.FAILED);
    assertThat(tester.err()).contains("none");
  }
}
