package org.nyala.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.nyala.core.Patience.eventually;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.SearchResultEntry;
import java.io.FilterWriter;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import javax.management.JMX;
import javax.management.MBeanServer;
import javax.management.MBeanServerFactory;
import javax.management.ObjectName;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.nyala.cli.Main;
import org.nyala.cli.running.Handover;
import org.nyala.error.CommandException;
import org.nyala.error.ExitCode;
import org.nyala.management.ManagementBeans;
import org.nyala.management.bean.SyncMXBean;
import org.nyala.management.bean.SyncMXBean.Switched;
import org.nyala.process.FaultyDisk;
import org.nyala.process.FreePorts;
import org.nyala.process.LocalCommands;
import org.nyala.process.LocalServer;
import org.nyala.process.ServerProcess;
import org.nyala.server.RunningServer;

/** Handovers of two servers, one of which has the other's data. */
@Timeout(300)
class HandoverTest extends PromotionTestCase {
  private static final int WAIT_SECONDS = 20;

  /** The same for a handover of which one step waits in vain. */
  private static final int VAIN_SECONDS = 10;

  private int firstPort;
  private int secondPort;
  private final List<String> lines = new ArrayList<>();

  /** A server with its beans, which are apart from those of the other one. */
  private static final class Managed implements AutoCloseable {
    private final RunningServer server;
    private final ManagementBeans beans;
    private final SyncMXBean sync;

    Managed(RunningServer server) throws Exception {
      MBeanServer registry = MBeanServerFactory.newMBeanServer();
      this.server = server;
      this.beans = server.register(registry);
      this.sync = JMX.newMXBeanProxy(registry, new ObjectName(SyncMXBean.NAME), SyncMXBean.class);
    }

    void awaitPhase(String phase) {
      eventually("it is " + phase, () -> sync.getCopies().getFirst().phase().equals(phase));
    }

    /** Waits for the end of the refresh that brings the epoch of the data, after the entries. */
    void awaitOneEpoch() {
      eventually("no other epoch counts", () -> !sync.getEpochs().getFirst().isSuperseded());
    }

    int epoch() {
      return sync.getEpochs().getFirst().epoch();
    }

    @Override
    public void close() {
      stop();
    }

    void stop() {
      beans.close();
      server.close();
    }
  }

  @BeforeEach
  void populate() throws Exception {
    firstPort = FreePorts.take();
    try (RunningServer server = at("first", 1, firstPort, "");
        LDAPConnection client = LocalServer.connectAsRoot(server)) {
      addTop(client);
    }
    secondPort = FreePorts.take();
  }

  private Managed first() throws Exception {
    return new Managed(at("first", 1, firstPort, of(secondPort)));
  }

  private Managed second(int serverId, int provider) throws Exception {
    return new Managed(at("second", serverId, secondPort, of(provider)));
  }

  /** Makes the first server the writer, which it was before it had a provider. */
  private static void prepare(Managed first, Managed second) {
    first.awaitPhase("following");
    second.awaitPhase("following");
    requireDone(first.sync.promote(SUFFIX, false, false, WAIT_SECONDS));
    // The promotion ends what the copy follows: it begins again, and has the new epoch then.
    eventually("the copy has the epoch of the writer", () -> second.epoch() == first.epoch());
    second.awaitPhase("following");
  }

  private boolean handOver(
      Managed copy, Managed provider, int seconds, Consumer<String> step, Handover.Promoted left)
      throws Exception {
    lines.clear();
    return new Handover(
            copy.sync,
            provider.sync,
            SUFFIX,
            seconds,
            "me",
            line -> {
              lines.add(line);
              step.accept(line);
            },
            () -> left)
        .run();
  }

  private void requireAsBefore(Managed first, Managed second, String name) throws Exception {
    assertThat(lines).last().asString().startsWith("undone: the provider takes changes");
    add(first.server, name);
    second.awaitPhase("following");
    requireReferred(second.server);
    SyncedServers.awaitEqual(
        SyncedServers.access(first.server), SyncedServers.access(second.server));
  }

  @Test
  void losesNothingThatWasAcknowledged() throws Exception {
    try (Managed first = first();
        Managed second = second(2, firstPort)) {
      prepare(first, second);
      try (SteadyWriter writer =
          new SteadyWriter(
              "w",
              List.of(
                  () -> LocalServer.connectAsRoot(first.server),
                  () -> LocalServer.connectAsRoot(second.server)))) {
        writer.awaitMore(0);
        assertThat(handOver(second, first, WAIT_SECONDS, _ -> {}, Handover.Promoted.unknown))
            .as("%s", lines)
            .isTrue();
        requireReferred(first.server);
        writer.awaitMore(1);
        // And back, by the same command at the other one.
        assertThat(handOver(first, second, WAIT_SECONDS, _ -> {}, Handover.Promoted.unknown))
            .as("%s", lines)
            .isTrue();
        requireReferred(second.server);
        writer.awaitMore(0);
        Map<String, String> expected = writer.stop();
        SyncedServers.awaitEqual(
            SyncedServers.access(first.server), SyncedServers.access(second.server));
        requireEqual(expected, second.server);
      }
      first.awaitOneEpoch();
      second.awaitOneEpoch();
    }
  }

  private static void requireEqual(Map<String, String> expected, RunningServer server)
      throws Exception {
    assertThat(expected).isNotEmpty();
    try (LDAPConnection client = LocalServer.connectAsRoot(server)) {
      for (Map.Entry<String, String> each : expected.entrySet()) {
        SearchResultEntry found = client.getEntry(each.getKey(), "description");
        String description = found == null ? null : found.getAttributeValue("description");
        assertThat(found == null ? null : description == null ? "" : description)
            .as(each.getKey())
            .isEqualTo(each.getValue());
      }
    }
  }

  @Test
  void isUndoneIfTheCopyLacksChanges() throws Exception {
    try (Managed first = first();
        CutLine line = new CutLine(firstPort, () -> Long.MAX_VALUE);
        Managed second = second(2, line.port())) {
      prepare(first, second);
      line.hold(true);
      add(first.server, "missed");
      assertThat(handOver(second, first, 2, _ -> {}, Handover.Promoted.unknown)).isFalse();
      assertThat(lines).anyMatch(each -> each.contains("the provider lacks changes"));
      line.hold(false);
      requireAsBefore(first, second, "after");
    }
  }

  /** The server that is to take over may connect again, or be restarted, at that moment. */
  @Test
  void waitsForACopyThatStarts() throws Exception {
    try (Managed first = first()) {
      try (Managed second = second(2, firstPort)) {
        prepare(first, second);
      }
      CompletableFuture<Switched> following =
          CompletableFuture.supplyAsync(() -> first.sync.follow(SUFFIX, false, 200));
      add(first.server, "meanwhile");
      assertThat(following).isNotDone();
      try (Managed second = second(2, firstPort)) {
        assertThat(following.join().done()).as("%s", following.join().lines()).isTrue();
        requireReferred(first.server);
        try (LDAPConnection client = LocalServer.connectAsRoot(second.server)) {
          assertThat(client.getEntry("ou=meanwhile," + SUFFIX)).isNotNull();
        }
      }
    }
  }

  @Test
  void isUndoneIfThePromotionIsRefused() throws Exception {
    try (Managed first = first();
        Managed second = second(0, firstPort)) {
      prepare(first, second);
      assertThat(handOver(second, first, WAIT_SECONDS, _ -> {}, Handover.Promoted.unknown))
          .isFalse();
      assertThat(lines).anyMatch(each -> each.contains("serverId is 0"));
      requireAsBefore(first, second, "after");
    }
  }

  @Test
  void isUndoneIfTheCopyDies() throws Exception {
    try (Managed first = first()) {
      try (Managed second = second(2, firstPort)) {
        prepare(first, second);
        assertThat(
                handOver(
                    second,
                    first,
                    WAIT_SECONDS,
                    line -> {
                      if (line.startsWith("2.")) {
                        second.stop();
                      }
                    },
                    Handover.Promoted.no))
            .isFalse();
        assertThat(lines).anyMatch(each -> each.contains("this server is not running"));
      }
      add(first.server, "alone");
      try (Managed second = second(2, firstPort)) {
        eventually(
            "it has what came meanwhile",
            () -> {
              try (LDAPConnection client = LocalServer.connectAsRoot(second.server)) {
                return client.getEntry("ou=alone," + SUFFIX) != null;
              }
            });
        requireReferred(second.server);
      }
    }
  }

  @Test
  void leavesTheProviderClosedIfTheCopyMayBePromoted() throws Exception {
    try (Managed first = first();
        Managed second = second(2, firstPort)) {
      prepare(first, second);
      assertThatThrownBy(
              () ->
                  handOver(
                      second,
                      first,
                      WAIT_SECONDS,
                      line -> {
                        if (line.startsWith("2.")) {
                          second.stop();
                        }
                      },
                      Handover.Promoted.unknown))
          .isInstanceOf(CommandException.class)
          .hasMessageContaining("it is not known whether " + SUFFIX + " was promoted here");
      requireReferred(first.server);
      requireDone(first.sync.promote(SUFFIX, true, false, 0));
      add(first.server, "again");
    }
  }

  @Test
  void changesNothingUnlessBothAreInTheirRoles() throws Exception {
    try (Managed first = first();
        Managed second = second(2, firstPort)) {
      first.awaitPhase("following");
      second.awaitPhase("following");
      assertThatThrownBy(() -> handOver(second, first, 1, _ -> {}, Handover.Promoted.unknown))
          .isInstanceOf(CommandException.class)
          .hasMessageContaining("it is a copy, too");
      prepare(first, second);
      assertThatThrownBy(() -> handOver(first, second, 1, _ -> {}, Handover.Promoted.unknown))
          .isInstanceOf(CommandException.class)
          .hasMessageContaining("is promoted here already");
      add(first.server, "still");
    }
    try (Managed plain = new Managed(at("first", 1, firstPort, ""));
        Managed second = second(2, firstPort)) {
      second.awaitPhase("following");
      assertThatThrownBy(() -> handOver(second, plain, 1, _ -> {}, Handover.Promoted.unknown))
          .isInstanceOf(CommandException.class)
          .hasMessageContaining("has no replication of " + SUFFIX);
      add(plain.server, "plain");
    }
  }

  private ServerProcess firstProcess() throws Exception {
    Files.writeString(folder("first").resolve("password"), "geheim\n");
    return ServerProcess.start(
        folder("first"),
        "listeners = [\"%s\"]\nserverId = 1\n%s\n%s"
            .formatted(
                url(firstPort),
                of(secondPort),
                "management { jmx = \"127.0.0.1:0\", jmxAdmin { user = chief, password ="
                    + " geheim } }"));
  }

  private ServerProcess secondProcess(Map<String, String> environment) throws Exception {
    Path configuration =
        ServerProcess.configure(
            folder("second"),
            "listeners = [\"%s\"]\nserverId = 2\n%s".formatted(url(secondPort), of(firstPort)));
    return ServerProcess.start(
        configuration.getParent(), environment, ServerProcess.command(configuration.getParent()));
  }

  private void prepare(LocalCommands commands) throws Exception {
    Path first = folder("first").resolve("test.conf");
    Path second = folder("second").resolve("test.conf");
    eventually("its first refresh has ended", () -> commands.run(first, "promote") == ExitCode.OK);
    eventually("the copy is whole", () -> commands.run(second, "sync", "status") == ExitCode.OK);
  }

  private String[] command(ServerProcess provider, int seconds) throws Exception {
    return new String[] {
      "handover",
      "--wait=" + seconds,
      "--jmx",
      provider.jmxUrl().getURLPath().replaceAll(".*//(.*)/jmxrmi", "$1"),
      "--no-tls",
      "--user",
      "chief",
      "--password-file",
      folder("first").resolve("password").toString()
    };
  }

  private static void add(ServerProcess server, String name) throws Exception {
    try (LDAPConnection client = server.client("cn=admin", "admin")) {
      client.add("dn: ou=" + name + "," + SUFFIX, "objectClass: organizationalUnit");
    }
  }

  private static boolean has(ServerProcess server, String name) throws Exception {
    try (LDAPConnection client = server.client("cn=admin", "admin")) {
      return client.getEntry("ou=" + name + "," + SUFFIX, "1.1") != null;
    }
  }

  /**
   * Runs the command at the copy; returns its exit code.
   *
   * @param second done before the promotion is asked for
   */
  private int handOver(ServerProcess provider, StringWriter out, Runnable second) throws Exception {
    Writer watched =
        new FilterWriter(out) {
          @Override
          public void write(String text, int from, int length) throws IOException {
            super.write(text, from, length);
            if (text.startsWith("2. ")) {
              second.run();
            }
          }
        };
    List<String> arguments = new ArrayList<>(List.of(command(provider, VAIN_SECONDS)));
    arguments.add("--config=" + folder("second").resolve("test.conf"));
    return Main.commandLine()
        .setOut(new PrintWriter(watched, true))
        .setErr(new PrintWriter(watched, true))
        .execute(arguments.toArray(String[]::new));
  }

  private static void endAfterCommit(FaultyDisk disk) {
    try {
      disk.fail(FaultyDisk.Call.META_LAST, FaultyDisk.IO_ERROR);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The promotion is on disk, and its answer never sent. */
  @Test
  void goesOnIfTheCopyIsKilledOnceItIsPromoted() throws Exception {
    FaultyDisk disk = new FaultyDisk(folder);
    try (ServerProcess first = firstProcess()) {
      StringWriter out = new StringWriter();
      try (ServerProcess second = secondProcess(disk.environment())) {
        prepare(new LocalCommands());
        int exitCode = handOver(first, out, () -> endAfterCommit(disk));
        assertThat(exitCode).isEqualTo(ExitCode.FAILED);
        assertThat(out.toString())
            .contains("this server does not answer", "it was promoted before it ended", "3. the")
            .contains("is changed by this server now, which has ended: start it");
        // It is gone already.
        second.kill();
      }
      disk.heal();
      try (ServerProcess second = secondProcess(Map.of())) {
        add(second, "new");
        eventually("the former provider follows", () -> has(first, "new"));
      }
    }
  }

  @Test
  void isUndoneIfTheCopyIsKilledBefore() throws Exception {
    try (ServerProcess first = firstProcess()) {
      StringWriter out = new StringWriter();
      try (ServerProcess second = secondProcess(Map.of())) {
        prepare(new LocalCommands());
        assertThat(handOver(first, out, second::kill)).isEqualTo(ExitCode.FAILED);
        assertThat(out.toString())
            .contains("this server does not answer", "undone: the provider takes changes again");
      }
      add(first, "alone");
      try (ServerProcess second = secondProcess(Map.of())) {
        eventually("the copy follows", () -> has(second, "alone"));
      }
    }
  }

  @Test
  void isACommandAtTheCopy() throws Exception {
    try (ServerProcess first = firstProcess();
        ServerProcess second = secondProcess(Map.of())) {
      LocalCommands commands = new LocalCommands();
      prepare(commands);
      commands.shouldSucceed(folder("second").resolve("test.conf"), command(first, WAIT_SECONDS));
      assertThat(commands.out())
          .contains("1. the provider", "2. the copy", "3. the former", "done: " + SUFFIX);
      add(second, "new");
      assertThat(commands.run(folder("second").resolve("test.conf"), "handover"))
          .isEqualTo(ExitCode.USAGE);
    }
  }
}
