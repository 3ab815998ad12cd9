package org.nyala.cli.store;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.TestCertificates;
import org.nyala.error.ExitCode;
import org.nyala.process.LocalCommands;
import org.nyala.process.LocalServer;
import org.nyala.process.ServerProcess;
import org.nyala.server.RunningServer;

/** Compares servers that hold back entries, fail, or mean harm. */
@Timeout(300)
class CompareServersTest {
  private static final String TOP = "dc=example,dc=com";
  private static final String ONE = "dn: dc=example,dc=com\nobjectClass: domain\ndc: example\n";

  @TempDir Path folder;

  private final LocalCommands nyala = new LocalCommands();
  private Path conf = Path.of("none");
  private String one = "";

  @BeforeEach
  void prepare() throws IOException {
    conf = ServerProcess.configure(folder, "");
    one = write("one.ldif", ONE);
  }

  private String write(String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name), text).toString();
  }

  private int run(String... arguments) {
    return nyala.run(conf, arguments);
  }

  private int compare(String... arguments) {
    List<String> all = new ArrayList<>(List.of("compare"));
    all.addAll(List.of(arguments));
    return run(all.toArray(String[]::new));
  }

  /** Compares the file with a server that answers so; returns the exit code. */
  private int compareWith(String text, ScriptedServer.Script script, String... more)
      throws Exception {
    try (ScriptedServer server = new ScriptedServer(text, script)) {
      List<String> all = new ArrayList<>(List.of(one, server.address() + "/" + TOP));
      all.addAll(List.of(more));
      return compare(all.toArray(String[]::new));
    }
  }

  private static int top(ScriptedServer.Answers answers) throws LDAPException {
    answers.entry(TOP, new Attribute("objectClass", "domain"), new Attribute("dc", "example"));
    return ScriptedServer.SUCCESS;
  }

  private static int topAlone(ScriptedServer.Answers answers) throws LDAPException {
    return answers.wantsSubentries() ? ScriptedServer.SUCCESS : top(answers);
  }

  private void addTop(RunningServer server, boolean hasSubentry) throws Exception {
    try (LDAPConnection root = LocalServer.connectAsRoot(server)) {
      root.add("dn: " + TOP, "objectClass: domain", "dc: example");
      if (hasSubentry) {
        root.add(
            "dn: cn=sub," + TOP,
            "objectClass: subentry",
            "objectClass: extensibleObject",
            "cn: sub",
            "subtreeSpecification: {}");
      }
    }
  }

  @Test
  void subentriesAreCompared() throws Exception {
    String password = write("password", "admin\n");
    String[] bind = {"--bind-dn=cn=admin", "--password-file=" + password};
    Path other = Files.createDirectory(folder.resolve("other"));
    try (RunningServer with = LocalServer.start(folder, "");
        RunningServer without = LocalServer.start(other, "")) {
      addTop(with, true);
      addTop(without, false);
      String address = "ldap://127.0.0.1:" + LocalServer.port(with);
      assertThat(compare(address + "/" + TOP, one, bind[0], bind[1])).isEqualTo(ExitCode.DIFFERENT);
      assertThat(nyala.out())
          .startsWith("only in " + address + ": cn=sub," + TOP + "\n")
          .endsWith("1 entries are equal, 1 differ or are in one only\n");
      String subentry = "objectClass: subentry\nobjectClass: extensibleObject\ncn: sub\n";
      String all =
          write(
              "all.ldif",
              ONE + "\ndn: cn=sub," + TOP + "\n" + subentry + "subtreeSpecification: {}\n");
      assertThat(compare(all, address + "/" + TOP, bind[0], bind[1])).isEqualTo(ExitCode.OK);
      assertThat(nyala.out()).startsWith("2 entries are equal, 0 differ");
      String below = address + "/cn=sub," + TOP;
      assertThat(compare(below, below, bind[0], bind[1])).as(nyala.out()).isEqualTo(ExitCode.OK);
      assertThat(nyala.out()).isEqualTo("1 entries are equal, 0 differ or are in one only\n");
      String second = "ldap://127.0.0.1:" + LocalServer.port(without);
      assertThat(run("sync", "compare", address, second, "--base=" + TOP, bind[0], bind[1]))
          .isEqualTo(ExitCode.UNSOUND);
      assertThat(nyala.out()).contains("only at " + address + ": cn=sub,");
      assertThat(run("sync", "compare", second, address, "--base=" + TOP, bind[0], bind[1]))
          .isEqualTo(ExitCode.UNSOUND);
      assertThat(nyala.out()).contains("only at " + address + ": cn=sub,");
      assertThat(run("sync", "compare", address, address, "--base=" + TOP, bind[0], bind[1]))
          .isEqualTo(ExitCode.OK);
      assertThat(nyala.out()).startsWith("2 entries are at both servers, 0 differ");
    }
  }

  @Test
  void serversWithoutTheControlAreComparedWithoutSubentries() throws Exception {
    int code =
        compareWith(
            "no such control",
            answers ->
                answers.wantsSubentries() ? ScriptedServer.UNAVAILABLE_CONTROL : top(answers));
    assertThat(code).as(nyala.err()).isEqualTo(ExitCode.OK);
    assertThat(nyala.out())
        .startsWith("1 entries are equal, 0 differ or are in one only; ldap://127.0.0.1:")
        .endsWith(" does not show subentries: they are not compared\n")
        .hasLineCount(1);
  }

  @Test
  void subentriesThatAreShownTwiceCountOnce() throws Exception {
    one = write("sub.ldif", ONE.replace("domain", "subentry"));
    ScriptedServer.Script script =
        answers -> {
          answers.entry(
              TOP, new Attribute("objectClass", "subentry"), new Attribute("dc", "example"));
          return ScriptedServer.SUCCESS;
        };
    assertThat(compareWith("", script)).as(nyala.out()).isEqualTo(ExitCode.OK);
    assertThat(nyala.out()).isEqualTo("1 entries are equal, 0 differ or are in one only\n");
  }

  @Test
  void theBaseOfTheOptionWins() throws Exception {
    try (RunningServer server = LocalServer.start(folder, "")) {
      addTop(server, false);
      String url = "ldap://127.0.0.1:" + LocalServer.port(server) + "/" + TOP;
      String password = write("password", "admin\n");
      String none = "--base=cn=none," + TOP;
      assertThat(compare(url, one, none, "--bind-dn=cn=admin", "--password-file=" + password))
          .isEqualTo(ExitCode.USAGE);
      assertThat(nyala.err()).contains("ldap://127.0.0.1:").contains("no such object");
    }
  }

  @Test
  void aServerThatShowsNothingIsNotEqual() throws Exception {
    String none = write("none.ldif", "");
    try (ScriptedServer server = new ScriptedServer("", _ -> ScriptedServer.SUCCESS)) {
      assertThat(compare(none, server.address() + "/" + TOP)).isEqualTo(ExitCode.USAGE);
      assertThat(nyala.err())
          .isEqualTo(
              "nyala: %s: shows no entry at or below %s (no rights?)\n"
                  .formatted(server.address(), TOP));
      assertThat(run("sync", "compare", server.address(), server.address(), "--base=" + TOP))
          .isEqualTo(ExitCode.FAILED);
      assertThat(nyala.err()).contains("shows no entry at or below");
    }
  }

  @Test
  void textOfServersCannotDriveTheTerminal() throws Exception {
    assertThat(compareWith("\u001b[31mred", _ -> ScriptedServer.SIZE_LIMIT))
        .isEqualTo(ExitCode.USAGE);
    assertThat(nyala.err()).contains("?[31mred").doesNotContain("\u001b");
    ScriptedServer.Script invalid =
        answers -> {
          answers.entry("\u001b[2Jnonsense", new Attribute("cn", "a"));
          return ScriptedServer.SUCCESS;
        };
    assertThat(compareWith("", invalid)).isEqualTo(ExitCode.USAGE);
    assertThat(nyala.err())
        .contains("'?[2Jnonsense' is no name of an entry")
        .doesNotContain("\u001b");
  }

  @Test
  void partsOfServersAreNotTakenForAll() throws Exception {
    ScriptedServer.Script limited =
        answers -> {
          int _ = top(answers);
          return ScriptedServer.SIZE_LIMIT;
        };
    assertThat(compareWith("size limit", limited)).isEqualTo(ExitCode.USAGE);
    assertThat(nyala.err()).contains("size limit");
    assertThat(nyala.out()).isEmpty();
    ScriptedServer.Script ended =
        answers -> {
          int _ = top(answers);
          return answers.disconnect();
        };
    assertThat(compareWith("", ended)).isEqualTo(ExitCode.USAGE);
    assertThat(nyala.err()).startsWith("nyala: ldap://127.0.0.1:").contains("connection");
    assertThat(nyala.out()).isEmpty();
  }

  @Test
  void limitsOfNyalaAreNotTakenForAll() throws Exception {
    try (RunningServer server =
        LocalServer.start(folder, "limits.sizeLimit = 1\naccess.anonymousRead = true")) {
      addTop(server, false);
      try (LDAPConnection root = LocalServer.connectAsRoot(server)) {
        root.add("dn: ou=a," + TOP, "objectClass: organizationalUnit", "ou: a");
      }
      String url = "ldap://127.0.0.1:" + LocalServer.port(server) + "/" + TOP;
      assertThat(compare(url, one)).isEqualTo(ExitCode.USAGE);
      assertThat(nyala.err()).contains("size");
    }
  }

  @Test
  void partsHeldElsewhereAreCounted() throws Exception {
    ScriptedServer.Script script =
        answers -> {
          answers.reference("ldap://other/ou=a," + TOP);
          return topAlone(answers);
        };
    assertThat(compareWith("", script)).as(nyala.err()).isEqualTo(ExitCode.OK);
    assertThat(nyala.out())
        .contains("1 entries are equal, 0 differ or are in one only; ")
        .endsWith(" refers to other servers 2 times: those parts are not compared\n");
  }

  @Test
  void serversThatStopAnsweringEndTheComparison() throws Exception {
    ScriptedServer.Script script =
        answers -> {
          int _ = top(answers);
          return answers.hang();
        };
    assertThat(compareWith("", script, "--idle-seconds=1")).isEqualTo(ExitCode.USAGE);
    assertThat(nyala.err()).startsWith("nyala: ldap://127.0.0.1:").contains("--idle-seconds");
    assertThat(compareWith("", script, "--idle-seconds=-1")).isEqualTo(ExitCode.USAGE);
    assertThat(nyala.err()).contains("--idle-seconds: ");
  }

  @Test
  void connectionsThatAreNotEncryptedAsAskedFail() throws Exception {
    try (RunningServer plain = LocalServer.start(folder, "")) {
      String url = "ldap://127.0.0.1:" + LocalServer.port(plain) + "/" + TOP;
      assertThat(compare(url, one, "--start-tls")).isEqualTo(ExitCode.USAGE);
      assertThat(nyala.err())
          .startsWith("nyala: ldap://127.0.0.1:")
          .contains("there is no certificate");
      assertThat(nyala.out()).isEmpty();
    }
    Path other = Files.createDirectory(folder.resolve("tls"));
    TestCertificates.Pair pair =
        TestCertificates.make(other, "127.0.0.1", "-keyalg EC -groupname secp256r1");
    try (RunningServer encrypted =
        LocalServer.start(
            other,
            "tls { certificate = \"%s\", password = %s }"
                .formatted(pair.pkcs12(), TestCertificates.PASSWORD))) {
      String url = "ldap://127.0.0.1:" + LocalServer.port(encrypted) + "/" + TOP;
      assertThat(compare(url, one, "--start-tls")).isEqualTo(ExitCode.USAGE);
      assertThat(nyala.err()).containsIgnoringCase("certif");
      assertThat(nyala.out()).isEmpty();
    }
  }
}
