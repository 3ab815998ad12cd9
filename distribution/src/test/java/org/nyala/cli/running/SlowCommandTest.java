package org.nyala.cli.running;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.SearchScope;
import com.unboundid.util.json.JSONObject;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.error.ExitCode;
import org.nyala.process.LocalCommands;
import org.nyala.process.ServerProcess;

/** Tests {@code nyala slow} with a server in another process, which has no access log. */
@Timeout(300)
class SlowCommandTest {
  private static final String TOP = "dc=example,dc=com";
  private static final String SHAPE = "sub (&(description=*?*)(!(street=?)))";

  @TempDir Path folder;

  private final LocalCommands commands = new LocalCommands();

  private String slow(String... options) {
    String[] all = new String[options.length + 1];
    all[0] = "slow";
    System.arraycopy(options, 0, all, 1, options.length);
    assertThat(commands.run(folder.resolve("test.conf"), all))
        .as(commands.err())
        .isEqualTo(ExitCode.OK);
    return commands.out();
  }

  @Test
  void shouldShowWhoIsSlowWithoutAnAccessLog() throws Exception {
    try (ServerProcess server = ServerProcess.start(folder, "log.slowMillis = 1");
        LDAPConnection root = server.client("cn=admin", "admin")) {
      root.add("dn: " + TOP, "objectClass: domain", "dc: example");
      eventually(
          "a search is slow",
          () -> {
            root.search(
                TOP, SearchScope.SUB, "(&(description=*secret*)(!(street=Secret street)))", "cn");
            return slow().contains("cn=admin, " + SHAPE);
          });
      assertThat(slow()).doesNotContain("ecret");
      JSONObject json = new JSONObject(slow("--json", "--top", "1000", "--reset"));
      assertThat(json.getFieldAsInteger("slowMillis")).isEqualTo(1);
      assertThat(json.getFieldAsArray("ended"))
          .anySatisfy(
              row -> {
                JSONObject each = (JSONObject) row;
                assertThat(each.getFieldAsString("shape")).isEqualTo(SHAPE);
                assertThat(each.getFieldAsString("client")).isEqualTo("cn=admin");
                assertThat(each.getFieldAsString("operation")).isEqualTo("search");
                assertThat(each.getFieldAsLong("count")).isPositive();
                assertThat(each.getFieldAsLong("longestMillis"))
                    .isBetween(1L, each.getFieldAsLong("totalMillis"));
              });
      assertThat(slow()).doesNotContain(SHAPE);
      assertThat(commands.run(folder.resolve("test.conf"), "slow", "--top", "0"))
          .isEqualTo(ExitCode.USAGE);
    }
    assertThat(commands.run(folder.resolve("test.conf"), "slow")).isEqualTo(ExitCode.NOT_RUNNING);
  }
}
