package org.nyala.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.nyala.core.Patience.eventually;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SearchScope;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.management.MBeanServerConnection;
import javax.management.Notification;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.cli.Main;
import org.nyala.error.ExitCode;
import org.nyala.management.bean.ServerMXBean;
import org.nyala.management.bean.StoreMXBean;
import org.nyala.process.LocalCommands;
import org.nyala.process.Processes;
import org.nyala.process.ServerProcess;

/**
 * Tests a server whose disk is full for a while: nothing is lost, reads continue, and JMX reports
 * it.
 */
class FullDiskTest {
  private static final String SUFFIX = "dc=example,dc=com";
  private static final String FAIL = "org.nyala.store.changesFail";
  private static final String JMX = "management.jmx = \"127.0.0.1:0\"";

  /** The message of a short write; LMDB does not query the reason. */
  private static final String SHORT_WRITE = "the disk cannot be read or written to";

  private static final int PATIENCE_SECONDS = 60;

  @TempDir Path folder;

  private final BlockingQueue<Notification> heard = new LinkedBlockingQueue<>();

  /**
   * Returns a command whose files may grow to 8 MiB at most, in blocks of 512 or 1024 bytes: half
   * that.
   */
  private static List<String> withSmallFiles(List<String> command) {
    List<String> limited =
        new ArrayList<>(List.of("sh", "-c", "ulimit -S -f 8192; exec \"$@\"", "sh"));
    limited.addAll(command);
    return limited;
  }

  private static void run(String... command) throws Exception {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = process.inputReader().lines().toList().toString();
    assertThat(process.waitFor()).as(said).isZero();
  }

  @Test
  void shouldGoOnWhenFilesMayGrowAgain() throws Exception {
    ServerProcess.configure(folder, JMX);
    try (ServerProcess server =
        ServerProcess.start(folder, Map.of(), withSmallFiles(ServerProcess.command(folder)))) {
      String pid = Long.toString(server.pid());
      fillAndGoOn(
          server,
          "the data file may not grow further",
          () -> {
            eventually("status tells of the alarm", () -> status() == ExitCode.ALARM);
            eventually("it lives", () -> status("--live") == ExitCode.OK);
            run("prlimit", "--pid", pid, "--fsize=unlimited:unlimited");
          });
      eventually("status tells that it is over", () -> status() == ExitCode.OK);
    }
    assertThat(Main.commandLine().execute("verify", "--config=" + folder.resolve("test.conf")))
        .isEqualTo(ExitCode.OK);
  }

  private int status(String... options) {
    String[] arguments = Arrays.copyOf(options, options.length + 1);
    arguments[options.length] = "status";
    Collections.reverse(Arrays.asList(arguments));
    return new LocalCommands().run(folder.resolve("test.conf"), arguments);
  }

  /**
   * Serves from a file system in memory that only the server sees; its pid, lock and counters are
   * there too.
   */
  @Test
  void shouldGoOnWhenThereIsRoomOnTheDiskAgain() throws Exception {
    Path disk = Files.createDirectory(folder.resolve("data"));
    assumeTrue(
        Processes.succeeds(
            "unshare", "-m", "mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", disk.toString()),
        "this user may not mount anything");
    ServerProcess.configure(folder, JMX);
    List<String> command =
        new ArrayList<>(
            List.of(
                "unshare",
                "-m",
                "sh",
                "-c",
                "mount -t tmpfs -o size=8m tmpfs \"$0\" && exec \"$@\"",
                disk.toString()));
    command.addAll(ServerProcess.command(folder));
    try (ServerProcess server = ServerProcess.start(folder, Map.of(), command)) {
      fillAndGoOn(
          server,
          "the disk is full",
          () ->
              run(
                  "nsenter",
                  "-t",
                  Long.toString(server.pid()),
                  "-m",
                  "mount",
                  "-o",
                  "remount,size=64m",
                  disk.toString()));
    }
  }

  private interface Relief {
    void bring() throws Exception;
  }

  private void fillAndGoOn(ServerProcess server, String reason, Relief relief) throws Exception {
    try (JMXConnector jmx = server.connect();
        LDAPConnection client =
            new LDAPConnection("127.0.0.1", server.port(), "cn=admin", "admin")) {
      MBeanServerConnection beans = jmx.getMBeanServerConnection();
      ObjectName store = new ObjectName(StoreMXBean.NAME);
      beans.addNotificationListener(
          store,
          (notification, _) -> {
            // On the small disk those of its free space come, too.
            if (notification.getType().startsWith(FAIL)) {
              heard.add(notification);
            }
          },
          null,
          null);
      client.add("dn: " + SUFFIX, "objectClass: domain", "dc: example");
      assertThat(beans.getAttribute(store, "Failing")).isEqualTo(false);
      int stored = fill(client, reason);

      Notification begun = heard.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
      assertThat(begun).isNotNull();
      assertThat(begun.getType()).isEqualTo(FAIL);
      assertThat(begun.getMessage()).contains("reads go on: the d");
      assertThat(beans.getAttribute(store, "Failing")).isEqualTo(true);
      assertThat(beans.getAttribute(store, "LastCommitFailure")).isIn(reason, SHORT_WRITE);
      assertThat((Long) beans.getAttribute(store, "LastCommitFailureMillis")).isPositive();
      assertThat((Long) beans.getAttribute(store, "CommitFailures")).isPositive();
      assertThat((String[]) beans.getAttribute(new ObjectName(ServerMXBean.NAME), "Alarms"))
          .contains(begun.getMessage());

      for (int i = 0; i < 20; i++) {
        int number = i;
        assertThatThrownBy(() -> add(client, "refused" + number))
            .isInstanceOfSatisfying(
                LDAPException.class,
                e -> assertThat(e.getResultCode()).isEqualTo(ResultCode.UNAVAILABLE));
      }
      assertThat(entries(client)).isEqualTo(1 + stored);

      relief.bring();
      add(client, "again");
      Notification over = heard.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
      assertThat(over).isNotNull();
      assertThat(over.getType()).isEqualTo(FAIL + ".over");
      assertThat(beans.getAttribute(store, "Failing")).isEqualTo(false);
      assertThat(beans.getAttribute(store, "LastCommitFailure")).isIn(reason, SHORT_WRITE);
      assertThat((String[]) beans.getAttribute(new ObjectName(ServerMXBean.NAME), "Alarms"))
          .noneMatch(alarm -> alarm.equals(begun.getMessage()));
      assertThat(entries(client)).isEqualTo(2 + stored);
      assertThat(heard).isEmpty();
      String log = server.log();
      assertThat(log.lines().filter(line -> line.contains("changes cannot be stored"))).hasSize(2);
      assertThat(log).doesNotContain("\tat ");
    }
  }

  /** Adds entries until one is rejected; returns the number of stored ones. */
  private static int fill(LDAPConnection client, String reason) throws Exception {
    for (int i = 0; i < 1000; i++) {
      try {
        add(client, "entry" + i);
      } catch (LDAPException e) {
        assertThat(e.getResultCode()).as(e.getMessage()).isEqualTo(ResultCode.UNAVAILABLE);
        assertThat(e.getDiagnosticMessage()).isIn(reason, SHORT_WRITE);
        return i;
      }
    }
    throw new AssertionError("the disk is not full");
  }

  private static void add(LDAPConnection client, String name) throws Exception {
    client.add(
        "dn: ou=" + name + "," + SUFFIX,
        "objectClass: organizationalUnit",
        "description: " + name + "x".repeat(100_000));
  }

  private static int entries(LDAPConnection client) throws LDAPException {
    return client.search(SUFFIX, SearchScope.SUB, "(objectClass=*)", "1.1").getEntryCount();
  }
}
