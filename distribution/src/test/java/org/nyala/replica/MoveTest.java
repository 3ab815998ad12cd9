package org.nyala.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;
import static org.nyala.replica.SyncedServers.awaitEqual;
import static org.nyala.replica.SyncedServers.consuming;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.SearchResultEntry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.management.bean.LocalManagement;
import org.nyala.management.bean.SyncMXBean.Switched;
import org.nyala.process.FreePorts;
import org.nyala.process.ServerProcess;

/** The move from slapd to Nyala and back, while clients change entries. */
@Timeout(300)
class MoveTest {
  private static final int SLAPD = 0;
  private static final int NYALA = 1;

  @TempDir Path folder;
  private int port;
  private String configuration;
  private final Map<String, String> expected = new HashMap<>();

  private LDAPConnection nyala() throws LDAPException {
    return new LDAPConnection("127.0.0.1", port, "cn=admin", "admin");
  }

  private ProviderAccess access() {
    return SyncedServers.access("ldap://127.0.0.1:" + port, "cn=admin", "admin");
  }

  private static String phase(LocalManagement management) {
    return management.sync().getCopies().getFirst().phase();
  }

  private static void promote(LocalManagement management) {
    Switched promoted = management.sync().promote(SyncSlapd.SUFFIX, false, false, 60);
    assertThat(promoted.done()).as("%s", promoted.lines()).isTrue();
    assertThat(phase(management)).isEqualTo("promoted");
  }

  private void prepare(SyncSlapd slapd) throws Exception {
    port = FreePorts.take();
    configuration =
        "serverId = 2, listeners = [\"ldap://127.0.0.1:"
            + port
            + "\"]\n"
            + consuming(slapd.url(), SyncSlapd.ADMIN, SyncSlapd.PASSWORD);
    slapd.addTop();
  }

  @Test
  void losesNothingOnTheWayAndBack() throws Exception {
    Path home = Files.createDirectories(folder.resolve("nyala"));
    try (SyncSlapd slapd = SyncSlapd.changeable(Files.createDirectories(folder.resolve("slapd")))) {
      prepare(slapd);
      List<SteadyWriter.Way> ways = List.of(slapd::client, this::nyala);
      try (ServerProcess first = ServerProcess.start(home, configuration);
          SteadyWriter one = new SteadyWriter("a", ways);
          SteadyWriter other = new SteadyWriter("b", ways)) {
        there(slapd, first, one);
        first.kill();
        try (ServerProcess second = ServerProcess.serve(home);
            LocalManagement management = LocalManagement.attach(second.pid())) {
          assertThat(second.log()).contains("was promoted on", "remove replication");
          assertThat(phase(management)).isEqualTo("promoted");
          one.awaitMore(NYALA);
          other.awaitMore(NYALA);
          back(slapd, management, other);
          expected.putAll(one.stop());
          expected.putAll(other.stop());
          assertThat(one.refused()).isPositive();
          requireEqual(slapd);
          // Once more, with the number that it had.
          slapd.follow(port);
          promote(management);
          try (LDAPConnection client = nyala()) {
            client.add("dn: ou=last," + SyncSlapd.SUFFIX, "objectClass: organizationalUnit");
          }
          expected.put("ou=last," + SyncSlapd.SUFFIX, "");
          requireEqual(slapd);
        }
      }
    }
  }

  private void there(SyncSlapd slapd, ServerProcess server, SteadyWriter writer) throws Exception {
    try (LocalManagement management = LocalManagement.attach(server.pid())) {
      eventually("the copy follows", () -> phase(management).equals("following"));
      writer.awaitMore(SLAPD);
      Switched early = management.sync().promote(SyncSlapd.SUFFIX, false, true, 0);
      assertThat(early.done()).isFalse();
      assertThat(early.lines()).anyMatch(line -> line.contains("still accepts changes"));
      slapd.follow(port);
      promote(management);
      writer.awaitMore(NYALA);
    }
  }

  private static void back(SyncSlapd slapd, LocalManagement management, SteadyWriter writer)
      throws Exception {
    Switched followed = management.sync().follow(SyncSlapd.SUFFIX, false, 60);
    assertThat(followed.done()).as("%s", followed.lines()).isTrue();
    slapd.lead();
    writer.awaitMore(SLAPD);
    eventually("the copy follows", () -> phase(management).equals("following"));
  }

  /** Requires that both have what was acknowledged, and the same. */
  private void requireEqual(SyncSlapd slapd) throws Exception {
    awaitEqual(slapd.access(), access());
    assertThat(expected).hasSizeGreaterThan(60);
    try (LDAPConnection client = nyala()) {
      for (Map.Entry<String, String> each : expected.entrySet()) {
        SearchResultEntry entry = client.getEntry(each.getKey(), "description");
        String found =
            entry == null
                ? null
                : entry.hasAttribute("description") ? entry.getAttributeValue("description") : "";
        assertThat(found).as(each.getKey()).isEqualTo(each.getValue());
      }
    }
  }
}
