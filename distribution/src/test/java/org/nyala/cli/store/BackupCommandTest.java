package org.nyala.cli.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;

import com.unboundid.ldap.sdk.LDAPConnection;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.error.ExitCode;
import org.nyala.lmdb.admin.CopyProgress;
import org.nyala.process.LocalCommands;
import org.nyala.process.ServerProcess;
import org.nyala.service.RunDirectory;

/**
 * {@code nyala backup} and {@code nyala restore}.
 *
 * <p>{@code -Dnyala.backups=N} makes more backups beside clients.
 */
@Timeout(600)
class BackupCommandTest {
  private static final String ROOT = "cn=admin,dc=example,dc=com";
  private static final int CLIENTS = 4;
  private static final int ROUNDS = Integer.getInteger("nyala.backups", 2);

  @TempDir Path folder;

  private final LocalCommands commands = new LocalCommands();
  private Path configuration;

  private int nyala(String... arguments) {
    return commands.run(configuration, arguments);
  }

  private void shouldSucceed(String... arguments) {
    commands.shouldSucceed(configuration, arguments);
  }

  private String path(String name) {
    return folder.resolve(name).toString();
  }

  private Set<String> names(String... more) throws Exception {
    List<String> arguments = new ArrayList<>(List.of("export", "-o", path("export.ldif")));
    arguments.addAll(List.of(more));
    shouldSucceed(arguments.toArray(String[]::new));
    return Files.readAllLines(folder.resolve("export.ldif")).stream()
        .filter(line -> line.startsWith("dn:"))
        .collect(Collectors.toSet());
  }

  @BeforeEach
  void load() throws Exception {
    configuration =
        Files.writeString(
            folder.resolve("test.conf"),
            """
            nyala {
              listeners = ["ldap://127.0.0.1:0"]
              data = "%s"
              root { dn = "%s", password = admin }
            }
            """
                .formatted(folder.resolve("data"), ROOT));
    shouldSucceed("sample", "--entries", "50", "-o", path("a.ldif"));
    shouldSucceed("import", path("a.ldif"));
  }

  @Test
  void shouldRestoreWhatWasBackedUpAndKeepWhatWasThere() throws Exception {
    Set<String> before = names();
    shouldSucceed("backup", path("backup"));
    assertThat(commands.out()).startsWith("backed up 63 entries, ").hasLineCount(1);
    shouldSucceed("sample", "--entries", "5", "-o", path("b.ldif"));
    shouldSucceed("import", "--replace", path("b.ldif"));
    shouldSucceed("restore", path("backup"));
    assertThat(commands.out())
        .startsWith("restored 63 entries of 2")
        .contains("the old data was moved to " + folder.resolve("data.before-restore-"));
    assertThat(names()).isEqualTo(before);
    shouldSucceed("verify");
    String kept = commands.out();
    assertThat(kept).startsWith("sound: 63 entries");
    shouldSucceed("restore", "--discard-old", path("backup"));
    assertThat(commands.out()).hasLineCount(1);
  }

  @Test
  void shouldExplainWhatItRefuses() throws Exception {
    Set<String> before = names();
    shouldSucceed("backup", path("backup"));
    assertThat(nyala("backup", path("backup"))).isEqualTo(ExitCode.FAILED);
    assertThat(commands.err()).contains("is not empty").hasLineCount(1);
    assertThat(nyala("backup")).isEqualTo(ExitCode.USAGE);
    assertThat(nyala("backup", "--data", path("none"), path("other"))).isEqualTo(ExitCode.FAILED);
    assertThat(commands.err()).startsWith("nyala: there is no directory data in ");
    assertThat(nyala("restore", path("data"))).isEqualTo(ExitCode.FAILED);
    assertThat(commands.err()).contains("is not a complete backup").hasLineCount(1);
    try (RunDirectory.Lease lease = new RunDirectory(folder.resolve("data")).acquire()) {
      assertThat(lease).isNotNull();
      assertThat(nyala("restore", path("backup"))).isEqualTo(ExitCode.ALREADY_RUNNING);
    }
    try (RandomAccessFile file = new RandomAccessFile(path("backup/data.mdb"), "rw")) {
      file.seek(file.length() - 100);
      file.write(0x55);
      file.write(0xaa);
    }
    assertThat(nyala("restore", path("backup"))).isEqualTo(ExitCode.UNSOUND);
    assertThat(commands.err()).contains("has changed", "nothing was changed").hasLineCount(2);
    assertThat(names()).isEqualTo(before);
  }

  @Test
  void shouldBackUpAPastStateWhileClientsWrite() throws Exception {
    AtomicIntegerArray acknowledged = new AtomicIntegerArray(CLIENTS);
    AtomicBoolean done = new AtomicBoolean();
    try (ServerProcess server = ServerProcess.serve(folder);
        ExecutorService threads = Executors.newFixedThreadPool(CLIENTS)) {
      List<Future<?>> clients = new ArrayList<>();
      for (int client = 0; client < CLIENTS; client++) {
        int own = client;
        LDAPConnection connection = server.client(ROOT, "admin");
        clients.add(
            threads.submit(
                () -> {
                  add(connection, own, acknowledged, done);
                  return null;
                }));
      }
      for (int round = 1; round <= ROUNDS; round++) {
        int wanted = 30 * round;
        eventually("writes are acknowledged", () -> acknowledged.get(CLIENTS - 1) >= wanted);
        int[] before = now(acknowledged);
        shouldSucceed("backup", path("backup" + round));
        int[] after = now(acknowledged);
        assertPast(round, before, after);
      }
      assertThat(nyala("restore", path("backup1"))).isEqualTo(ExitCode.ALREADY_RUNNING);
      done.set(true);
      for (Future<?> client : clients) {
        client.get();
      }
    }
    shouldSucceed("restore", path("backup1"));
    try (ServerProcess server = ServerProcess.serve(folder);
        LDAPConnection connection = server.client(ROOT, "admin")) {
      assertThat(connection.getEntry("ou=c0-0,dc=example,dc=com")).isNotNull();
    }
  }

  private static void add(
      LDAPConnection connection, int client, AtomicIntegerArray acknowledged, AtomicBoolean done)
      throws Exception {
    try (connection) {
      for (int number = 0; !done.get(); number++) {
        String name = "c" + client + "-" + number;
        connection.add("dn: ou=" + name + ",dc=example,dc=com", "objectClass: organizationalUnit");
        acknowledged.set(client, number + 1);
      }
    }
  }

  private static int[] now(AtomicIntegerArray acknowledged) {
    int[] now = new int[CLIENTS];
    for (int client = 0; client < CLIENTS; client++) {
      now[client] = acknowledged.get(client);
    }
    return now;
  }

  /**
   * Checks that a backup is a state of the past. Each client adds in order: the backup contains its
   * entries up to some point.
   */
  private void assertPast(int round, int[] before, int[] after) throws Exception {
    String other = path("other" + round);
    shouldSucceed("restore", path("backup" + round), "--data", other);
    shouldSucceed("verify", "--data", other);
    Set<String> there = names("--data", other);
    int found = 0;
    for (int client = 0; client < CLIENTS; client++) {
      int count = 0;
      while (there.contains("dn: ou=c" + client + "-" + count + ",dc=example,dc=com")) {
        count++;
      }
      // One more may be stored and not yet answered.
      assertThat(count).isBetween(before[client], after[client] + 1);
      found += count;
    }
    assertThat(there).hasSize(63 + found);
  }

  @Test
  void shouldTellHowFarItIs() {
    assertThat(CopyLine.describe(CopyProgress.Phase.COPYING, 64L << 20, 300L << 20, 5))
        .as("no rate of the first moment")
        .isEqualTo("copying, 300 MiB");
    assertThat(CopyLine.describe(CopyProgress.Phase.COPYING, 0, 300L << 20, 5))
        .isEqualTo("copying, 300 MiB");
    assertThat(
            CopyLine.describe(CopyProgress.Phase.CHECKING, 100L << 20, 2000L << 20, 1_000_000_000L))
        .isEqualTo("  5%  checking, 100 of 2,000 MiB, 100 MiB/s, 0:19 left");
  }
}
