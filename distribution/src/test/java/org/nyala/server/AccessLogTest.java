package org.nyala.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.nyala.core.Patience.eventually;

import com.unboundid.ldap.sdk.CompareRequest;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.SearchScope;
import com.unboundid.ldif.LDIFChangeRecord;
import com.unboundid.ldif.LDIFReader;
import com.unboundid.util.json.JSONObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nyala.error.ConfigurationException;
import org.nyala.process.LocalServer;
import org.nyala.process.ServerProcess;

/** Compares the access log with the requests that clients sent. */
class AccessLogTest {
  private static final String SUFFIX = "dc=example,dc=com";
  private static final String UNBOUND =
      "clients that have not bound may not read here (access.anonymousRead)";

  @TempDir Path folder;

  private RunningServer start(String log, String strategy) throws Exception {
    return LocalServer.start(
        folder,
        """
        root.password = geheim
        access.anonymousRead = true
        dispatch.strategy = STRATEGY
        log { LOG }
        """
            .replace("STRATEGY", strategy)
            .replace("LOG", log));
  }

  private static void converse(RunningServer server) throws Exception {
    try (LDAPConnection connection = LocalServer.connect(server)) {
      connection.bind("cn=admin", "geheim");
      connection.add("dn: " + SUFFIX, "objectClass: domain", "dc: example");
      connection.add("dn: ou=a," + SUFFIX, "objectClass: organizationalUnit", "ou: a");
      connection.modify(
          "ou=a," + SUFFIX,
          new Modification(ModificationType.REPLACE, "l", "town"),
          new Modification(ModificationType.ADD, "description", "a\nsecret value"));
      connection.search(SUFFIX, SearchScope.SUB, "(|(ou=a\"\\2a)(userPassword=geheim))", "ou", "l");
      connection.compare(new CompareRequest("ou=a," + SUFFIX, "ou", "secret value"));
      assertThatThrownBy(() -> connection.search("ou=x," + SUFFIX, SearchScope.BASE, "(ou=a*b*c)"))
          .isNotNull();
      connection.modifyDN("ou=a," + SUFFIX, "ou=b", true);
      connection.processExtendedOperation("1.3.6.1.4.1.4203.1.11.3");
      connection.delete("ou=b," + SUFFIX);
    }
    // A stopping server may end before it has read the unbind.
    eventually("the connection is closed", () -> server.served().wire().connectionCount() == 0);
  }

  @ParameterizedTest
  @ValueSource(strings = {"adaptive", "striped", "single-queue"})
  void shouldWriteLinesAsSlapdDoes(String strategy) throws Exception {
    try (RunningServer server = start("access.format = stats", strategy)) {
      converse(server);
    }
    String times = " qtime=\\d+\\.\\d{6} etime=\\d+\\.\\d{6}";
    List<String> patterns =
        List.of(
            "fd=\\d+ ACCEPT from IP=127\\.0\\.0\\.1:\\d+ \\(IP=127\\.0\\.0\\.1:\\d+\\)",
            "op=0 BIND dn=\"cn=admin\" method=128",
            "op=0 BIND dn=\"cn=admin\" mech=SIMPLE bind_ssf=0 ssf=0",
            "op=0 RESULT tag=97 err=0" + times + " text=",
            "op=1 ADD dn=\"dc=example,dc=com\"",
            "op=1 RESULT tag=105 err=0" + times + " text=",
            "op=2 ADD dn=\"ou=a,dc=example,dc=com\"",
            "op=2 RESULT tag=105 err=0" + times + " text=",
            "op=3 MOD dn=\"ou=a,dc=example,dc=com\"",
            "op=3 MOD attr=l description",
            "op=3 RESULT tag=103 err=0" + times + " text=",
            "op=4 SRCH base=\"dc=example,dc=com\" scope=2 deref=0"
                + " filter=\"\\(\\|\\(ou=a\\\\22\\\\2A\\)\\(userPassword=hidden\\)\\)\"",
            "op=4 SRCH attr=ou l",
            "op=4 SEARCH RESULT tag=101 err=0" + times + " nentries=0 text=",
            "op=5 CMP dn=\"ou=a,dc=example,dc=com\" attr=\"ou\"",
            "op=5 RESULT tag=111 err=5" + times + " text=",
            "op=6 SRCH base=\"ou=x,dc=example,dc=com\" scope=0 deref=0"
                + " filter=\"\\(ou=a\\*b\\*c\\)\"",
            "op=6 SEARCH RESULT tag=101 err=32" + times + " nentries=0 text=.*",
            "op=7 MODRDN dn=\"ou=a,dc=example,dc=com\"",
            "op=7 RESULT tag=109 err=0" + times + " text=",
            "op=8 EXT oid=1.3.6.1.4.1.4203.1.11.3",
            "op=8 WHOAMI",
            "op=8 RESULT oid= err=0" + times + " text=",
            "op=9 DEL dn=\"ou=b,dc=example,dc=com\"",
            "op=9 RESULT tag=107 err=0" + times + " text=",
            "op=10 UNBIND",
            "fd=\\d+ closed");
    List<String> lines = lines("access.log");
    Pattern head =
        Pattern.compile("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{6}Z conn=1 (.*)");
    List<String> said = new ArrayList<>();
    for (String line : lines) {
      assertThat(line).matches(head);
      said.add(head.matcher(line).replaceFirst("$1"));
    }
    assertThat(said).hasSameSizeAs(patterns);
    for (int i = 0; i < patterns.size(); i++) {
      assertThat(said.get(i)).matches(patterns.get(i));
    }
    assertThat(String.join("", lines)).doesNotContain("geheim", "secret value");
  }

  @Test
  void shouldSayWhyClientsThatHaveNotBoundFindNothing() throws Exception {
    String configuration = "log.access.format = stats";
    try (RunningServer server = LocalServer.start(folder, configuration);
        LDAPConnection connection = LocalServer.connect(server)) {
      assertThatThrownBy(() -> connection.search(SUFFIX, SearchScope.SUB, "(ou=a)"))
          .hasMessage(UNBOUND);
      assertThatThrownBy(() -> connection.compare(new CompareRequest(SUFFIX, "ou", "a")))
          .hasMessage(UNBOUND);
    }
    assertThat(lines("access.log").stream().filter(line -> line.contains(" RESULT ")))
        .hasSize(2)
        .allMatch(line -> line.contains(" err=32 "))
        .allMatch(line -> line.endsWith(" text=" + UNBOUND));
  }

  /** Reports it in the server's own log, because few installations keep an access log. */
  @Test
  void shouldSayOnceWithoutAnAccessLogWhyTheyFindNothing() throws Exception {
    try (ServerProcess server = ServerProcess.start(folder, "");
        LDAPConnection connection = new LDAPConnection("127.0.0.1", server.port())) {
      assertThat(server.log()).doesNotContain(UNBOUND);
      for (int i = 0; i < 3; i++) {
        assertThatThrownBy(() -> connection.search(SUFFIX, SearchScope.SUB, "(ou=a)"))
            .hasMessage(UNBOUND);
      }
      assertThat(server.log())
          .containsOnlyOnce("a client found nothing, for lack of rights: " + UNBOUND + ";");
    }
  }

  private List<String> lines(String name) throws IOException {
    return Files.readAllLines(folder.resolve("logs").resolve(name));
  }

  @Test
  void shouldWriteAnObjectForEachRequest() throws Exception {
    try (RunningServer server = start("access.format = json", "adaptive")) {
      converse(server);
    }
    List<JSONObject> objects = new ArrayList<>();
    for (String line : lines("access.log")) {
      objects.add(new JSONObject(line));
    }
    assertThat(objects.stream().map(object -> object.getFieldAsString("event")))
        .containsExactly(
            "connect",
            "bind",
            "add",
            "add",
            "modify",
            "search",
            "compare",
            "search",
            "modifyDn",
            "extended",
            "delete",
            "unbind",
            "disconnect");
    JSONObject search = objects.get(5);
    assertThat(search.getFieldAsString("filter"))
        .isEqualTo("(|(ou=a\\22\\2A)(userPassword=hidden))");
    assertThat(search.getFieldAsString("identity")).isEqualTo("cn=admin");
    assertThat(search.getFieldAsString("result")).isEqualTo("success");
    assertThat(search.getFieldAsInteger("scope")).isEqualTo(2);
    for (JSONObject object : objects.subList(1, 11)) {
      JSONObject phases = object.getFieldAsObject("phaseMicros");
      int sum = 0;
      for (String phase : phases.getFields().keySet()) {
        sum += phases.getFieldAsInteger(phase);
      }
      // Each is cut to whole microseconds.
      assertThat(object.getFieldAsInteger("totalMicros")).isBetween(sum, sum + 7);
    }
    assertThat(objects.get(2).getFieldAsObject("phaseMicros").getFields()).containsKey("commit");
    assertThat(objects.get(7).getFieldAsInteger("code")).isEqualTo(32);
    assertThat(String.join("", lines("access.log"))).doesNotContain("geheim", "secret value");
  }

  @Test
  void shouldWriteChangesThatGiveTheSameDirectoryAgain() throws Exception {
    try (RunningServer server = start("audit.enabled = true", "adaptive")) {
      converse(server);
    }
    String audit = Files.readString(folder.resolve("logs/audit.ldif"));
    assertThat(audit.lines().filter(line -> line.startsWith("#")))
        .hasSize(5)
        .allMatch(line -> line.matches("# \\S+Z csn=\\S+ by cn=admin"));
    List<String> kinds = new ArrayList<>();
    try (LDIFReader reader = new LDIFReader(folder.resolve("logs/audit.ldif").toFile())) {
      for (LDIFChangeRecord change = reader.readChangeRecord();
          change != null;
          change = reader.readChangeRecord()) {
        kinds.add(change.getChangeType().getName() + " " + change.getDN());
      }
    }
    assertThat(kinds)
        .containsExactly(
            "add dc=example,dc=com",
            "add ou=a,dc=example,dc=com",
            "modify ou=a,dc=example,dc=com",
            "moddn ou=a,dc=example,dc=com",
            "modify ou=b,dc=example,dc=com",
            "delete ou=b,dc=example,dc=com");
    assertThat(audit).contains("replace: l\nl: town\n-\n", "newrdn: ou=b\n", "deleteoldrdn: 0\n");
  }

  @Test
  void shouldWriteNothingUnlessAskedFor() throws Exception {
    try (RunningServer server = start("security.format = off", "adaptive")) {
      converse(server);
    }
    assertThat(folder.resolve("logs")).doesNotExist();
  }

  @Test
  void shouldNotStartWhereALogCannotBeWritten() throws Exception {
    Files.writeString(folder.resolve("logs"), "a file where a folder should be");
    List<String> logs =
        List.of("access.format = json", "audit.enabled = true", "security.format = text");
    for (String log : logs) {
      assertThatThrownBy(() -> start(log, "adaptive"))
          .isInstanceOf(ConfigurationException.class)
          .hasMessageContaining(".file: ");
    }
  }

  /** Configurations from before there was one start as ever, on a system that is read-only. */
  @Test
  void shouldStartWithoutASecurityLogThatNobodyHasAskedFor() throws Exception {
    Files.writeString(folder.resolve("logs"), "a file where a folder should be");
    Path file = ServerProcess.configure(folder, "");
    Files.writeString(file, Files.readString(file).replaceAll(", log.security.file.*", ""));
    try (ServerProcess server = ServerProcess.serve(folder, "-Dnyala.home=" + folder)) {
      assertThat(server.log())
          .contains("no security log is kept: ")
          .contains("set log.security.file, or log.security.format = off");
    }
  }
}
