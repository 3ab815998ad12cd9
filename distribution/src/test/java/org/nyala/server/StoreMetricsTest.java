package org.nyala.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.ResultCode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.config.ConfigurationFile;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.WriteTransaction;
import org.nyala.error.Installation;
import org.nyala.management.bean.NoticeKind;
import org.nyala.process.LocalServer;
import org.nyala.process.ServerProcess;

/** Compares the metrics of the store, and of alarms, with what happens to it. */
class StoreMetricsTest {
  private static final String SUFFIX = "dc=example,dc=com";
  private static final int MAP_BYTES = 4 << 20;
  private static final String USED = "ldap_server_store_used_bytes";
  private static final String COMMITS = "ldap_server_store_commits_total";
  private static final String FAILURES = "ldap_server_store_commit_failures_total";

  @TempDir Path folder;

  private RunningServer server;
  private LDAPConnection client;

  @BeforeEach
  void start() throws Exception {
    Path file =
        ServerProcess.configure(
            folder,
            """
            store { mapSizeGiB = 1, maximumMapSizeGiB = 1 }
            management { http = "127.0.0.1:0", watch { intervalSeconds = 1, longReadSeconds = 1 } }
            """);
    server =
        RunningServer.start(
            LocalServer.bounded(ConfigurationFile.read(file, folder), MAP_BYTES),
            Installation.current());
    client = LocalServer.connectAsRoot(server);
    client.add("dn: " + SUFFIX, "objectClass: domain", "dc: example");
  }

  @AfterEach
  void stop() {
    client.close();
    server.close();
  }

  private Map<String, Double> metrics() throws Exception {
    return ShownMetrics.of(server);
  }

  private double metric(String name) throws Exception {
    return metrics().get(name);
  }

  private static String alarm(NoticeKind kind) {
    return "ldap_server_alarm{alarm=\"" + kind.label() + "\"}";
  }

  private void add(int number) throws Exception {
    client.add(
        "dn: ou=" + number + "," + SUFFIX,
        "objectClass: organizationalUnit",
        "description: " + "x".repeat(50_000));
  }

  private void change(String value) throws LDAPException {
    client.modify(SUFFIX, new Modification(ModificationType.REPLACE, "description", value));
  }

  @Test
  void shouldGrowWithTheData() throws Exception {
    Map<String, Double> before = metrics();
    assertThat(before)
        .containsEntry("ldap_server_store_entries", 1.0)
        .containsEntry("ldap_server_store_maximum_bytes", (double) MAP_BYTES)
        .containsEntry(USED, (double) Files.size(folder.resolve("data/data.mdb")));
    for (int i = 0; i < 10; i++) {
      add(i);
    }
    Map<String, Double> after = metrics();
    assertThat(after)
        .containsEntry("ldap_server_store_entries", 11.0)
        .containsEntry("ldap_server_store_changes_total", 11.0)
        .containsEntry(USED, (double) Files.size(folder.resolve("data/data.mdb")))
        .containsEntry("ldap_server_updates_queued", 0.0)
        .containsEntry(FAILURES, 0.0);
    assertThat(after.get(USED)).isGreaterThan(before.get(USED) + 10 * 50_000);
    assertThat(after.get("ldap_server_store_fill_ratio"))
        .isBetween(after.get(USED) / MAP_BYTES - 1e-6, after.get(USED) / MAP_BYTES + 1e-6);
    assertThat(after.get(COMMITS)).isEqualTo(before.get(COMMITS) + 10);
    assertThat(after.get("ldap_server_store_commit_seconds_total"))
        .isGreaterThan(before.get("ldap_server_store_commit_seconds_total"))
        .isLessThan(60);
    assertThat(after.get("ldap_server_store_free_bytes")).isNotNegative();
  }

  @Test
  void shouldShowEveryAlarmAsZeroWhileAllIsWell() throws Exception {
    List<String> alarms =
        Arrays.stream(NoticeKind.values())
            .filter(NoticeKind::isAlarm)
            .map(StoreMetricsTest::alarm)
            .toList();
    Map<String, Double> metrics = metrics();
    assertThat(alarms)
        .hasSizeGreaterThan(8)
        .contains("ldap_server_alarm{alarm=\"store.longRead\"}");
    assertThat(metrics.keySet().stream().filter(name -> name.startsWith("ldap_server_alarm{")))
        .containsExactlyInAnyOrderElementsOf(alarms);
    alarms.forEach(alarm -> assertThat(metrics).containsEntry(alarm, 0.0));
  }

  @Test
  void shouldShowAReadThatIsHeld() throws Exception {
    assertThat(metric("ldap_server_store_oldest_read_commits")).isZero();
    assertThat(metric("ldap_server_store_oldest_read_age_seconds")).isZero();
    try (ReadTransaction _ = server.served().store().beginRead()) {
      for (int i = 0; i < 3; i++) {
        change("number " + i);
      }
      assertThat(metric("ldap_server_store_oldest_read_commits")).isEqualTo(3);
      assertThat(metric("ldap_server_store_reads_open")).isEqualTo(1);
      eventually("an alarm", () -> metric(alarm(NoticeKind.LONG_READ)) == 1);
      assertThat(metric("ldap_server_store_oldest_read_age_seconds")).isGreaterThanOrEqualTo(1);
    }
    eventually("no alarm", () -> metric(alarm(NoticeKind.LONG_READ)) == 0);
    assertThat(metric("ldap_server_store_oldest_read_age_seconds")).isZero();
    assertThat(metric("ldap_server_store_oldest_read_commits")).isZero();
  }

  @Test
  void shouldCountCommitsThatFailForWantOfSpace() throws Exception {
    ResultCode code = ResultCode.SUCCESS;
    int count = 0;
    while (code == ResultCode.SUCCESS) {
      assertThat(count).isLessThan(400);
      try {
        add(count++);
      } catch (LDAPException e) {
        code = e.getResultCode();
      }
    }
    assertThat(code).isEqualTo(ResultCode.UNAVAILABLE);
    assertThat(metric(FAILURES)).isEqualTo(1);
    assertThat(metric("ldap_server_store_fill_ratio")).isBetween(0.9, 1.0);
    eventually("an alarm", () -> metric(alarm(NoticeKind.CHANGES_FAIL)) == 1);
    eventually("another", () -> metric(alarm(NoticeKind.MAP_NEARLY_FULL)) == 1);
    for (int i = 0; i < count - 1; i++) {
      client.delete("ou=" + i + "," + SUFFIX);
    }
    change("stored again");
    eventually("no alarm", () -> metric(alarm(NoticeKind.CHANGES_FAIL)) == 0);
    // The file does not shrink: this says what is free in it.
    assertThat(metric("ldap_server_store_fill_ratio")).isGreaterThan(0.9);
    assertThat(metric(FAILURES)).isEqualTo(1);
  }

  /** Metrics are for the time when something goes wrong. */
  @Test
  void shouldAnswerWhileTheWriterIsBusy() throws Exception {
    try (WriteTransaction _ = server.served().store().beginWrite()) {
      assertThat(metric("ldap_server_store_entries")).isEqualTo(1);
    }
  }

  @Test
  void shouldShowTheRestWhenTheStoreCannotBeRead() throws Exception {
    server.served().store().close();
    Map<String, Double> metrics = metrics();
    assertThat(metrics.get(USED)).isNaN();
    assertThat(metrics.get(COMMITS)).isNaN();
    assertThat(metrics).containsEntry("ldap_server_connections", 1.0);
  }
}
