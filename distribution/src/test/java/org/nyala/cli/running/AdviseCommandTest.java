package org.nyala.cli.running;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.nyala.core.Patience.eventually;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.LDAPSearchException;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SearchRequest;
import com.unboundid.ldap.sdk.SearchResult;
import com.unboundid.ldap.sdk.SearchScope;
import com.unboundid.util.json.JSONObject;
import com.unboundid.util.json.JSONValue;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.error.ExitCode;
import org.nyala.process.LocalCommands;
import org.nyala.process.Processes;
import org.nyala.process.ProgramJvm;
import org.nyala.process.ServerProcess;

/** Tests {@code nyala advise} with a server in another process, and the same in other places. */
@Timeout(300)
class AdviseCommandTest {
  private static final String TOP = "dc=example,dc=com";
  private static final String STREET = "sub (&(objectclass=?)(street=?))";
  private static final String SECRET = "Secret Street";
  private static final int ENTRIES = 3000;
  private static final int SEARCHES = 200;

  @TempDir Path folder;

  private final LocalCommands commands = new LocalCommands();

  private JSONObject advise(String... options) throws Exception {
    List<String> all = new ArrayList<>(List.of("advise", "--json"));
    all.addAll(List.of(options));
    commands.shouldSucceed(folder.resolve("test.conf"), all.toArray(String[]::new));
    return new JSONObject(commands.out());
  }

  private static List<String> findings(JSONObject told) {
    return told.getFieldAsArray("findings").stream()
        .map(JSONObject.class::cast)
        .map(
            each ->
                String.join(
                    "|",
                    each.getFieldAsString("weight"),
                    each.getFieldAsString("area"),
                    each.getFieldAsString("sentence"),
                    each.getFieldAsString("command")))
        .toList();
  }

  private static JSONObject shape(JSONObject told, String text) {
    for (JSONValue each : told.getFieldAsArray("shapes")) {
      JSONObject one = (JSONObject) each;
      if (text.equals(one.getFieldAsString("scope") + " " + one.getFieldAsString("filter"))) {
        return one;
      }
    }
    throw new AssertionError(text + " is not in " + told);
  }

  private void load(String settings) throws IOException {
    Path file = ServerProcess.configure(folder, settings);
    Path people = folder.resolve("people.ldif");
    commands.shouldSucceed(file, "sample", Integer.toString(ENTRIES), "-o", people.toString());
    commands.shouldSucceed(file, "import", people.toString());
  }

  private static SearchResult byStreet(LDAPConnection client) throws LDAPException {
    return client.search(
        TOP, SearchScope.SUB, "(&(objectClass=person)(street=" + SECRET + "))", "cn", "mail");
  }

  @Test
  void shouldNameTheIndexThatTrafficNeedsUntilItIsThere() throws Exception {
    load("");
    try (ServerProcess server = ServerProcess.start(folder, "");
        LDAPConnection root = server.client("cn=admin", "admin")) {
      for (int i = 0; i < SEARCHES; i++) {
        assertThat(byStreet(root).getEntryCount()).isZero();
      }
      JSONObject before = advise("--shapes");
      assertThat(findings(before))
          .anySatisfy(
              found ->
                  assertThat(found)
                      .startsWith(
                          "warning|indexes|200 searches for (&(objectclass=?)(street=?)) read ")
                      .contains(" entries for 0 returned; street:eq would have saved about ")
                      .endsWith("|nyala index add street:eq"));
      JSONObject street = shape(before, STREET);
      assertThat(street.getFieldAsInteger("count")).isEqualTo(SEARCHES);
      assertThat(street.getFieldAsInteger("baseDepth")).isEqualTo(2);
      assertThat(street.getFieldAsString("attributes")).isEqualTo("cn mail");
      assertThat(street.getFieldAsInteger("returned")).isZero();
      assertThat(street.getFieldAsLong("read")).isGreaterThan((long) SEARCHES * (ENTRIES - 1));
      JSONObject client = (JSONObject) street.getFieldAsArray("clients").getFirst();
      assertThat(client.getFieldAsString("name")).isEqualTo("cn=admin");
      assertThat(client.getFieldAsString("address")).contains("127.0.0.1");
      assertThat(client.getFieldAsInteger("percent")).isGreaterThan(90);
      assertThat(before.toString()).doesNotContain(SECRET);
      checkOtherViews(root, street.getFieldAsInteger("number"));

      commands.shouldSucceed(folder.resolve("test.conf"), "index", "add", "street:eq");
      assertThat(findings(advise("--reset"))).noneMatch(each -> each.contains("index add"));
      for (int i = 0; i < SEARCHES; i++) {
        assertThat(byStreet(root).getEntryCount()).isZero();
      }
      JSONObject after = advise("--shapes", "--by", "count", "--top", "1");
      assertThat(findings(after)).noneMatch(each -> each.contains("index add"));
      assertThat(shape(after, STREET).getFieldAsLong("read")).isZero();
      assertThat(after.getFieldAsArray("shapes")).hasSize(1);
      assertThat(after.getFieldAsArray("indexes"))
          .map(JSONObject.class::cast)
          .filteredOn(each -> each.getFieldAsString("index").equals("street:eq"))
          .extracting(each -> each.getFieldAsInteger("count"))
          .containsExactly(SEARCHES);
    }
    assertThat(commands.run(folder.resolve("test.conf"), "advise")).isEqualTo(ExitCode.NOT_RUNNING);
  }

  /** Looks at the same shape as text, over LDAP, and by {@code nyala explain}. */
  private void checkOtherViews(LDAPConnection root, int number) throws Exception {
    Path file = folder.resolve("test.conf");
    commands.shouldSucceed(file, "advise", "--shapes");
    assertThat(commands.out())
        .contains("         > nyala index add street:eq\n")
        .contains(STREET + " [cn mail]: cn=admin ")
        .contains("a day or a month may need something else")
        .contains("not used since the server was started, ")
        .doesNotContain(SECRET);
    SearchResult monitored =
        root.search("cn=Shapes,cn=Monitor", SearchScope.SUB, "(objectClass=*)", "*", "+");
    assertThat(monitored.getSearchEntry("cn=Shape " + number + ",cn=Shapes,cn=Monitor"))
        .satisfies(each -> assertThat(each.getAttributeValue("monitoredInfo")).isEqualTo(STREET));
    assertThat(
            monitored
                .getSearchEntry("cn=Searches,cn=Shape " + number + ",cn=Shapes,cn=Monitor")
                .getAttributeValueAsInteger("monitorCounter"))
        .isEqualTo(SEARCHES);
    assertThat(monitored.toString()).doesNotContain(SECRET).doesNotContain("cn=admin");

    String shape = Integer.toString(number);
    commands.shouldSucceed(file, "explain", "--shape", shape);
    assertThat(commands.out())
        .startsWith("shape     " + STREET + "\nsearches  200 of ")
        .containsPattern("\\(street=\\?\\) +- +street:eq +")
        .containsPattern("\\(objectClass=\\?\\) +objectclass:eq +- +");
    commands.shouldSucceed(file, "explain", "--shape", shape, "--json");
    assertThat(new JSONObject(commands.out()).getFieldAsArray("parts")).hasSize(3);
    String[] filled = {
      "explain", "--json", "--shape", shape, "--value", "street=x*", "--value", "objectClass=person"
    };
    commands.shouldSucceed(file, filled);
    JSONObject explained = new JSONObject(commands.out());
    assertThat(explained.getFieldAsString("filter"))
        .isEqualTo("(&(objectclass=person)(street=x*))");
    assertThat(explained.getFieldAsLong("entriesRead")).isGreaterThan(ENTRIES - 1L);
    assertThat(commands.run(file, "explain", "--shape", shape, "--value", "street=x"))
        .isEqualTo(ExitCode.USAGE);
    assertThat(commands.err()).contains("the shape needs a value for objectclass");
    assertThat(commands.run(file, "explain", "--shape", shape, "(uid=a)"))
        .isEqualTo(ExitCode.USAGE);
    assertThat(commands.run(file, "explain", "--shape", "99999")).isEqualTo(ExitCode.USAGE);
    assertThat(commands.err()).contains("the server has no shape 99999");
    assertThat(commands.run(file, "explain", "--value", "uid=a", "(uid=a)"))
        .isEqualTo(ExitCode.USAGE);
    assertThat(commands.run(file, "advise", "--top", "0")).isEqualTo(ExitCode.USAGE);
  }

  @Test
  void shouldNameClientsThatReadEverythingAndLimitsThatWereMet() throws Exception {
    String settings =
        "management.watch.intervalSeconds = 1, access.anonymousRead = true"
            + ", limits { sizeLimit = 5, lookThroughLimit = 100 }";
    load(settings);
    try (ServerProcess server = ServerProcess.start(folder, settings);
        LDAPConnection root = server.client("cn=admin", "admin");
        LDAPConnection anonymous = new LDAPConnection("127.0.0.1", server.port())) {
      eventually(
          "a client reads everything",
          () -> {
            root.search(TOP, SearchScope.SUB, "(objectClass=*)", "1.1");
            return findings(advise()).stream()
                .anyMatch(
                    each ->
                        each.startsWith("advice|clients|cn=admin of ")
                            && each.contains("searches for (objectclass=*) returned half of the"));
          });
      assertThatThrownBy(() -> anonymous.search(TOP, SearchScope.SUB, "(uid=*)"))
          .isInstanceOfSatisfying(
              LDAPSearchException.class,
              e -> assertThat(e.getResultCode()).isEqualTo(ResultCode.SIZE_LIMIT_EXCEEDED));
      assertThatThrownBy(() -> anonymous.search(TOP, SearchScope.SUB, "(street=none)"))
          .isInstanceOfSatisfying(
              LDAPSearchException.class,
              e -> assertThat(e.getResultCode()).isEqualTo(ResultCode.ADMIN_LIMIT_EXCEEDED));
      SearchRequest own = new SearchRequest(TOP, SearchScope.SUB, "(cn=*)", "1.1");
      own.setSizeLimit(2);
      assertThatThrownBy(() -> anonymous.search(own))
          .isInstanceOfSatisfying(
              LDAPSearchException.class,
              e -> assertThat(e.getResultCode()).isEqualTo(ResultCode.SIZE_LIMIT_EXCEEDED));
      JSONObject told = advise("--shapes");
      assertThat(findings(told))
          .anyMatch(
              each ->
                  each.startsWith("advice|limits|1 searches have met limits.sizeLimit, ")
                      && each.contains(": 1 for (uid=*), by anonymous clients of "))
          .anyMatch(
              each ->
                  each.startsWith("advice|limits|1 searches have met limits.lookThroughLimit, ")
                      && each.contains(": 1 for (street=?), by anonymous clients of "));
      assertThat(shape(told, "sub (cn=*)").getFieldAsInteger("sizeLimits")).isZero();
      assertThat(shape(told, "sub (street=?)").getFieldAsInteger("lookThroughs")).isEqualTo(1);
      assertThat(shape(told, "sub (street=?)").getFieldAsInteger("scans")).isEqualTo(1);
    }
  }

  /**
   * Asks over the JMX port by a process of its own, as an administrator of another machine does.
   */
  private Processes.Result advise(ServerProcess server, String user, String... options)
      throws Exception {
    String port = server.jmxUrl().toString().replaceFirst(".*//([^/]+)/jmxrmi", "$1");
    List<String> all =
        new ArrayList<>(
            List.of(
                "advise",
                "--jmx=" + port,
                "--no-tls",
                "--user=" + user,
                "--password-file=" + folder.resolve("password")));
    all.addAll(List.of(options));
    return Processes.run(folder, Map.of(), ProgramJvm.command(List.of(), all));
  }

  @Test
  void shouldTellTheSameOverTheJmxPort() throws Exception {
    Files.writeString(folder.resolve("password"), "geheim\n");
    String settings =
        """
        management {
          jmx = "127.0.0.1:0"
          jmxAdmin { user = chief, password = geheim }, jmxMonitor { user = watcher, password = geheim }
        }
        """;
    load(settings);
    try (ServerProcess server = ServerProcess.start(folder, settings);
        LDAPConnection root = server.client("cn=admin", "admin")) {
      for (int i = 0; i < SEARCHES; i++) {
        assertThat(byStreet(root).getEntryCount()).isZero();
      }
      JSONObject here = advise("--shapes");
      JSONObject there =
          new JSONObject(advise(server, "chief", "--shapes", "--json").shouldSucceed().out());
      assertThat(findings(there))
          .anyMatch(each -> each.endsWith("|nyala index add street:eq"))
          .hasSameSizeAs(findings(here));
      assertThat(shape(there, STREET).getFieldAsInteger("count")).isEqualTo(SEARCHES);
      JSONObject client = (JSONObject) shape(there, STREET).getFieldAsArray("clients").getFirst();
      assertThat(client.getFieldAsString("name")).isEqualTo("cn=admin");
      assertThat(there.getFieldAsArray("indexes")).isNotEmpty();
      assertThat(advise(server, "chief", "--reset").shouldSucceed().out())
          .contains("         > nyala index add street:eq\n");
      assertThat(findings(advise())).noneMatch(each -> each.contains("index add"));

      Processes.Result refused = advise(server, "watcher");
      assertThat(refused.exitCode()).isEqualTo(ExitCode.FAILED);
      assertThat(refused.err())
          .isEqualTo("nyala: invoke is for management.jmxAdmin of the configuration\n");
      Processes.Result unknown = advise(server, "nobody");
      assertThat(unknown.exitCode()).isEqualTo(ExitCode.FAILED);
      assertThat(unknown.err()).startsWith("nyala: cannot connect to the JMX port 127.0.0.1:");
    }
  }

  @Test
  void shouldSaySoIfNothingIsCounted() throws Exception {
    try (ServerProcess server = ServerProcess.start(folder, "management.searchShapes = 0");
        LDAPConnection root = server.client("cn=admin", "admin")) {
      assertThat(root.getRootDSE()).isNotNull();
      commands.shouldSucceed(folder.resolve("test.conf"), "advise", "--shapes");
      assertThat(commands.out())
          .isEqualTo("searches are not counted: management.searchShapes is 0\n");
    }
  }
}
