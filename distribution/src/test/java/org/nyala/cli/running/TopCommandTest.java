package org.nyala.cli.running;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.nyala.core.Patience.eventually;

import com.unboundid.ldap.sdk.AsyncRequestID;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.SearchRequest;
import com.unboundid.ldap.sdk.SearchScope;
import com.unboundid.ldap.sdk.controls.PersistentSearchChangeType;
import com.unboundid.ldap.sdk.controls.PersistentSearchRequestControl;
import com.unboundid.util.json.JSONObject;
import com.unboundid.util.json.JSONString;
import com.unboundid.util.json.JSONValue;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.TestCertificates;
import org.nyala.core.dispatch.DispatchStrategies;
import org.nyala.core.metrics.Phase;
import org.nyala.error.ExitCode;
import org.nyala.process.FreePorts;
import org.nyala.process.LocalCommands;
import org.nyala.process.ProgramJvm;
import org.nyala.process.ServerProcess;
import org.nyala.server.NoResults;

class TopCommandTest {
  private static final Path TMUX = Path.of("/usr/bin/tmux");
  private static final String TOP = "dc=example,dc=com";

  /** A name that clears the screen of a terminal that obeys it. */
  private static final String HOSTILE = "cn=\u001b[2J\u009bx\u202e,dc=example,dc=com";

  @TempDir Path folder;

  private final LocalCommands commands = new LocalCommands();

  private String top(String... options) {
    List<String> all = new ArrayList<>(List.of("top", "--once"));
    all.addAll(List.of(options));
    commands.shouldSucceed(folder.resolve("test.conf"), all.toArray(String[]::new));
    return commands.out();
  }

  private static JSONObject named(JSONObject of, String array, String member, String value) {
    for (JSONValue each : of.getFieldAsArray(array)) {
      if (value.equals(((JSONObject) each).getFieldAsString(member))) {
        return (JSONObject) each;
      }
    }
    throw new AssertionError(value + " is not among " + array + ": " + of);
  }

  @Test
  void shouldShowWhatWasSent() throws Exception {
    try (ServerProcess server = ServerProcess.start(folder, "access.anonymousRead = true");
        LDAPConnection root = server.client("cn=admin", "admin")) {
      root.add("dn: " + TOP, "objectClass: domain", "dc: example");
      root.add("dn: " + HOSTILE, "objectClass: person", "sn: x", "userPassword: hostile-1");
      for (int i = 0; i < 7; i++) {
        root.search(TOP, SearchScope.BASE, "(objectClass=*)");
      }
      JSONObject first = new JSONObject(top("--json"));
      assertThat(named(first, "operations", "operation", "search").getFieldAsLong("completed"))
          .isEqualTo(7);
      assertThat(named(first, "operations", "operation", "add").getFieldAsLong("completed"))
          .isEqualTo(2);
      JSONObject numbers = first.getFieldAsObject("numbers");
      assertThat(numbers.getFieldAsLong("Connections.Current")).isEqualTo(1);
      assertThat(numbers.getFieldAsLong("Store.Entries")).isEqualTo(2);
      JSONObject client = named(first, "connections", "identity", "cn=admin");
      assertThat(client.getFieldAsLong("completed")).isEqualTo(10);
      assertThat(client.getFieldAsString("peer")).startsWith("IP=127.0.0.1:");

      AtomicBoolean isEnough = new AtomicBoolean();
      Thread load =
          Thread.ofVirtual()
              .start(
                  () -> {
                    try (LDAPConnection hostile = server.client(HOSTILE, "hostile-1")) {
                      while (!isEnough.get()) {
                        hostile.search(TOP, SearchScope.BASE, "(objectClass=*)");
                      }
                    } catch (Exception e) {
                      throw new AssertionError(e);
                    }
                  });
      eventually(
          "the rate is shown",
          () ->
              named(new JSONObject(top("--json")), "operations", "operation", "search")
                      .getFieldAsBigDecimal("perSecond")
                      .signum()
                  > 0);
      String text = top();
      isEnough.set(true);
      load.join();
      assertThat(text).contains("connections by rate", "?[2J", "alarms       none", "search");
      assertThat(text.codePoints().filter(each -> each != '\n' && Character.isISOControl(each)))
          .isEmpty();
      assertThat(text).doesNotContain("\u202e");
      assertThat(top("--operations")).contains("running operations, the longest first");
      assertThat(commands.run(folder.resolve("test.conf"), "top", "--seconds", "0"))
          .isEqualTo(ExitCode.USAGE);
    }
    assertThat(commands.run(folder.resolve("test.conf"), "top", "--once"))
        .isEqualTo(ExitCode.NOT_RUNNING);
  }

  @Test
  void shouldObeyKeysInATerminalAndRestoreIt() throws Exception {
    assumeTrue(Files.isExecutable(TMUX), "there is no tmux: install the package tmux");
    try (ServerProcess server = ServerProcess.start(folder, "access.anonymousRead = true");
        LDAPConnection root = server.client("cn=admin", "admin")) {
      root.add("dn: " + TOP, "objectClass: domain", "dc: example");
      String command = command(folder.resolve("test.conf"));
      Path script =
          Files.writeString(
              folder.resolve("top.sh"),
              "echo before\n"
                  + command
                  + "\necho ended with $?\nsetsid -w "
                  + command
                  + "\necho and $?\ncat\n");
      open(script, 100, 30);
      try {
        eventually("connections are shown", () -> screen().contains("connections by rate: 1"));
        assertThat(screen()).contains("cn=admin", "space pauses").doesNotContain("before");
        tmux("send-keys", "s");
        eventually("another order", () -> screen().contains("connections by executing"));
        tmux("send-keys", "o");
        eventually("operations are shown", () -> screen().contains("running operations"));
        tmux("resize-window", "-x", "60", "-y", "12");
        eventually(
            "it takes the smaller size",
            () -> screen().lines().count() <= 12 && screen().contains("q ends  copf"));
        tmux("send-keys", " ");
        tmux("send-keys", "c");
        eventually("connections again", () -> !screen().contains("running operations"));
        tmux("send-keys", "q");
        eventually("the former screen", () -> screen().contains("before\nended with 0"));
        eventually("no terminal", () -> screen().contains("and 1"));
        assertThat(screen()).contains("there is no terminal: use --once or --json");
      } finally {
        tmux("kill-server");
      }
    }
  }

  @Test
  void shouldShowTheSameAsTheLivePage() throws Exception {
    assumeTrue(Files.isExecutable(TMUX), "there is no tmux: install the package tmux");
    Path certificate =
        TestCertificates.make(folder, "ldap.example.com", "-keyalg EC -groupname secp256r1")
            .pem(folder.resolve("server.pem"));
    Path file = folder.resolve("test.conf");
    try (ServerProcess server =
            ServerProcess.start(
                folder,
                """
                passwordPolicy.default = "cn=policy,%s", tls.certificate = "%s"
                management {
                  jmx = "127.0.0.1:0", jmxAdmin { user = chief, password = geheim }
                  jmxMonitor { user = watcher, password = geheim }
                }
                """
                    .formatted(TOP, certificate));
        LDAPConnection root = server.client("cn=admin", "admin")) {
      root.add("dn: " + TOP, "objectClass: domain", "dc: example");
      root.add(
          "dn: cn=policy," + TOP,
          "objectClass: device",
          "objectClass: pwdPolicy",
          "pwdAttribute: userPassword");
      root.add("dn: " + HOSTILE, "objectClass: person", "sn: x", "userPassword: hostile-1");
      commands.shouldSucceed(file, "account", "lock", HOSTILE);
      commands.shouldSucceed(file, "dispatch", "set", DispatchStrategies.OFFERED.getLast());
      AsyncRequestID _ = root.asyncSearch(endless());
      eventually("the search goes on", () -> json().getFieldAsInteger("followersCount") == 1);

      JSONObject json = json();
      assertThat(json.getFieldAsObject("accounts").getFieldAsArray("locked"))
          .containsExactly(new JSONString(HOSTILE));
      assertThat(json.getFieldAsObject("certificates").getFieldAsString("subject"))
          .isEqualTo("CN=ldap.example.com");
      int days = json.getFieldAsObject("certificates").getFieldAsInteger("days");
      assertThat(days).isPositive();
      JSONObject notice = (JSONObject) json.getFieldAsArray("notices").getFirst();
      assertThat(notice.getFieldAsString("message")).startsWith("dispatch strategy: ");
      assertThat(json.getFieldAsObject("store").getFieldAsLong("diskFreeBytes")).isPositive();
      assertThat(json.getFieldAsArray("phases")).hasSize(Phase.values().length);
      assertThat(named(json, "followers", "operation", "search").getFieldAsString("identity"))
          .isEqualTo("cn=admin");
      assertThat(json.getFieldAsArray("running")).isEmpty();
      assertThat(json.getFieldAsArray("findings")).isNotEmpty();

      assertThat(top())
          .contains(
              "certificates the first ends in " + days + " d (CN=ldap.example.com)\n",
              "accounts     1 locked; ",
              "1 followers\n",
              " free of ");
      assertThat(top("--list", "locked")).contains("\naccount\ncn=?[2J?x?," + TOP + "\n");
      assertThat(top("--list=notices")).contains("notices, the latest first: 1\n", "strategy: ");
      assertThat(top("--list=followers")).contains("cn=admin, SRCH ");
      assertThat(commands.run(file, "top", "--list", "nonsense")).isEqualTo(ExitCode.USAGE);
      shouldShowItOverThePort(server);

      open(Files.writeString(folder.resolve("top.sh"), command(file)), 80, 24);
      try {
        eventually("the figures are shown", () -> screen().contains("accounts     1 locked; "));
        assertThat(screen())
            .contains("certificates the first ends in " + days + " d", "q ends  c connections")
            .contains("l locked", "n notices");
        tmux("send-keys", "l");
        eventually("locked accounts", () -> screen().contains("\naccount\ncn=?[2J?x?," + TOP));
        tmux("send-keys", "n");
        eventually("notices", () -> screen().contains("dispatch strategy: "));
        tmux("send-keys", "p");
        eventually("phases", () -> screen().contains("waiting for a permit"));
        tmux("send-keys", "u");
        eventually("followers", () -> screen().contains("cn=admin, SRCH "));
      } finally {
        tmux("kill-server");
      }
    }
  }

  private void shouldShowItOverThePort(ServerProcess server) throws Exception {
    String port = server.jmxUrl().toString().replaceFirst(".*//([^/]+)/jmxrmi", "$1");
    Path password = Files.writeString(folder.resolve("password"), "geheim\n");
    String[] ends = {"--jmx=" + port, "--no-tls", "--password-file=" + password};
    assertThat(top(ends[0], ends[1], ends[2], "--user=chief", "--list=locked"))
        .contains("\naccount\ncn=?[2J?x?," + TOP + "\n");
    assertThat(commands.run("top", "--once", ends[0], ends[1], ends[2], "--user=watcher"))
        .isEqualTo(ExitCode.FAILED);
    assertThat(commands.err())
        .isEqualTo("nyala: invoke is for management.jmxAdmin of the configuration\n");
  }

  private JSONObject json() throws Exception {
    return new JSONObject(top("--json"));
  }

  /** Returns a search that goes on until its client ends it. */
  private static SearchRequest endless() throws Exception {
    SearchRequest endless =
        new SearchRequest(new NoResults(), TOP, SearchScope.SUB, "(objectClass=*)");
    endless.addControl(
        new PersistentSearchRequestControl(
            PersistentSearchChangeType.allChangeTypes(), true, true));
    return endless;
  }

  @Test
  void shouldShowTheMembersOfACluster() throws Exception {
    assumeTrue(Files.isExecutable(TMUX), "there is no tmux: install the package tmux");
    int peers = FreePorts.take();
    try (ServerProcess _ = member("m0", peers);
        ServerProcess _ = member("m1", FreePorts.take())) {
      Path file = folder.resolve("m0/test.conf");
      commands.shouldSucceed(file, "cluster", "init");
      commands.shouldSucceed(
          folder.resolve("m1/test.conf"), "cluster", "join", "127.0.0.1:" + peers);
      String[] once = {"top", "--once", "--list", "members"};
      String[] asJson = {"top", "--once", "--json"};
      eventually(
          "the other member has everything",
          () -> {
            commands.shouldSucceed(file, asJson);
            return commands.out().contains("\"lag\":0");
          });
      JSONObject cluster = new JSONObject(commands.out()).getFieldAsObject("cluster");
      assertThat(cluster.getFieldAsString("role")).isEqualTo("leader");
      assertThat(cluster.getFieldAsArray("members")).hasSize(2);
      String figure =
          "cluster      leader of term " + cluster.getFieldAsString("term") + ", 2 members, the";
      commands.shouldSucceed(file, once);
      assertThat(commands.out())
          .contains(figure + " furthest 0 entries behind\n", "members of the cluster: 2\n")
          .containsPattern("\n +0  follower  \\S+ \\(127.0.0.1:");

      open(Files.writeString(folder.resolve("top.sh"), command(file)), 80, 24);
      try {
        eventually("the figure is shown", () -> screen().contains(figure));
        tmux("send-keys", "m");
        eventually("members", () -> screen().contains("members of the cluster: 2\n"));
        eventually("a follower", () -> screen().contains("0  follower  "));
      } finally {
        tmux("kill-server");
      }
    }
  }

  private ServerProcess member(String name, int peers) throws Exception {
    int port = FreePorts.take();
    return ServerProcess.start(
        Files.createDirectory(folder.resolve(name)),
        """
        listeners = ["ldap://127.0.0.1:%d"], store.create = always
        cluster { address = "127.0.0.1:%d", referTo = "ldap://127.0.0.1:%d" }
        """
            .formatted(port, peers, port));
  }

  /** Returns the command as a line of a shell. */
  private static String command(Path file) {
    List<String> words = ProgramJvm.command(List.of(), List.of("top", "--config=" + file));
    return "'" + String.join("' '", words) + "'";
  }

  private void open(Path script, int columns, int lines) {
    String width = Integer.toString(columns);
    tmux("new-session", "-d", "-x", width, "-y", Integer.toString(lines), "sh " + script);
  }

  private String screen() {
    return tmux("capture-pane", "-p");
  }

  private String tmux(String... words) {
    try {
      List<String> command =
          new ArrayList<>(List.of(TMUX.toString(), "-S", folder.resolve("tmux").toString()));
      command.addAll(List.of(words));
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      String out = new String(process.getInputStream().readAllBytes(), UTF_8);
      process.waitFor();
      return out;
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }
}
