package org.nyala.cli.running;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.nyala.core.Patience.eventually;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.SearchScope;
import com.unboundid.util.json.JSONObject;
import com.unboundid.util.json.JSONValue;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.error.ExitCode;
import org.nyala.process.LocalCommands;
import org.nyala.process.ProgramJvm;
import org.nyala.process.ServerProcess;

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
      List<String> command =
          ProgramJvm.command(List.of(), List.of("top", "--config=" + folder.resolve("test.conf")));
      Path script =
          Files.writeString(
              folder.resolve("top.sh"),
              "echo before\n'"
                  + String.join("' '", command)
                  + "'\necho ended with $?\nsetsid -w '"
                  + String.join("' '", command)
                  + "'\necho and $?\ncat\n");
      tmux("new-session", "-d", "-x", "100", "-y", "30", "sh " + script);
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
            () -> screen().lines().count() <= 12 && screen().contains("q ends  c connections"));
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
