package org.nyala.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.unboundid.ldap.sdk.ANONYMOUSBindRequest;
import com.unboundid.ldap.sdk.BindRequest;
import com.unboundid.ldap.sdk.GenericSASLBindRequest;
import com.unboundid.ldap.sdk.PLAINBindRequest;
import com.unboundid.ldap.sdk.SCRAMSHA256BindRequest;
import com.unboundid.ldap.sdk.SimpleBindRequest;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.process.LocalServer;
import org.nyala.process.Processes;
import org.nyala.server.RunningServer;

/** Has Debian's fail2ban read a log that a server has written for clients who choose its text. */
class Fail2banTest {
  private static final Path PROGRAM = Path.of("/usr/bin/fail2ban-regex");
  private static final Path FILTER = Path.of("src/packaging/conf/fail2ban/filter.d/nyala.conf");
  private static final String FORGED =
      "2026-11-25T10:00:00.000000Z bind-failed from=192.0.2.66 port=1 conn=1 op=0 code=49 ";

  /** The names of clients that want somebody else to be locked out, or not to be found. */
  private static final List<String> NAMES =
      List.of(
          "cn=admin",
          FORGED,
          "x\n" + FORGED + "\n",
          "x\r\n" + FORGED,
          "x\u2028" + FORGED + "\u2029",
          "x\u0085" + FORGED,
          "x\u000b" + FORGED + "\f",
          "x\" from=192.0.2.66 port=1 ",
          "x\\\" bind-failed from=192.0.2.66 port=1 conn=1",
          "x\u00a0bind-failed\u2003from=192.0.2.66\u3000port=1 ",
          "x\u202e" + FORGED + "\u200b",
          "x\u0000" + FORGED,
          "from=192.0.2.66",
          "x".repeat(20_000) + "\n" + FORGED,
          "\ud83d\ude00".repeat(3_000) + FORGED,
          "\ud83d\ude00x".repeat(3_000) + FORGED);

  @TempDir Path folder;

  private static List<BindRequest> requests(String name) {
    List<BindRequest> requests = new ArrayList<>();
    requests.add(new SimpleBindRequest(name, "guess"));
    if (name.length() < 1000 && name.indexOf(0) < 0) {
      requests.add(new PLAINBindRequest("u:" + name, "u:" + name, "guess"));
    }
    if (name.indexOf('\n') >= 0) {
      requests.add(new GenericSASLBindRequest("", name, null));
    }
    return requests;
  }

  @Test
  void shouldFindEveryFailureWithItsAddressAndNoOther() throws Exception {
    assumeTrue(Files.isExecutable(PROGRAM), "there is no fail2ban: install the package fail2ban");
    Map<String, Integer> failed = new HashMap<>();
    String[] sources = {"198.51.100.7", "2001:db8::7", "203.0.113.9"};
    try (RunningServer server =
        LocalServer.start(
            folder,
            """
            listeners = ["pldap://127.0.0.1:0"], proxy.from = ["127.0.0.1"]
            security.minimumStrength.simpleBind = 0
            """)) {
      int port = URI.create(server.listeners().getFirst()).getPort();
      int next = 0;
      for (String name : NAMES) {
        for (BindRequest request : requests(name)) {
          String source = sources[next++ % sources.length];
          int code = LoggedBinds.bind(port, LoggedBinds.from(source), request);
          assertThat(code).as("%s: %s", source, request).isIn(2, 7, 34, 49);
          failed.merge(source, 1, Integer::sum);
        }
      }
      // Neither of these has failed.
      var right = new SimpleBindRequest("cn=admin", "admin");
      assertThat(LoggedBinds.bind(port, LoggedBinds.from("203.0.113.1"), right)).isZero();
      // Fails, with the first step of two.
      var scram = new SCRAMSHA256BindRequest("nobody", "guess");
      assertThat(LoggedBinds.bind(port, LoggedBinds.from(sources[0]), scram)).isEqualTo(49);
      failed.merge(sources[0], 1, Integer::sum);
      var anonymous = new ANONYMOUSBindRequest();
      assertThat(LoggedBinds.bind(port, LoggedBinds.from(sources[1]), anonymous)).isEqualTo(7);
      failed.merge(sources[1], 1, Integer::sum);
    }
    assertThat(found()).isEqualTo(failed);
    long lines = failed.values().stream().mapToInt(Integer::intValue).sum() + 1L;
    assertThat(LoggedBinds.lines(folder)).hasSize((int) lines);
  }

  private Map<String, Integer> found() throws Exception {
    Processes.Result result =
        Processes.run(
            folder,
            Map.of("PATH", "/usr/bin:/bin", "LC_ALL", "C.UTF-8"),
            List.of(
                PROGRAM.toString(),
                "--out",
                "<ip>",
                folder.resolve("logs/security.log").toString(),
                FILTER.toAbsolutePath().toString()));
    result.shouldSucceed();
    Map<String, Integer> found = new HashMap<>();
    result.out().lines().forEach(address -> found.merge(address.strip(), 1, Integer::sum));
    return found;
  }
}
