package org.nyala.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.extensions.PasswordModifyExtendedRequest;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import javax.management.JMX;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nyala.cli.Main;
import org.nyala.config.ConfigurationFile;
import org.nyala.config.NyalaConfig;
import org.nyala.core.Seeds;
import org.nyala.error.ExitCode;
import org.nyala.error.Installation;
import org.nyala.management.DispatchManagement;
import org.nyala.management.ManagementBeans;
import org.nyala.management.bean.DispatchMXBean;
import org.nyala.process.LocalServer;

/**
 * Changes the strategy five times a second under a mixed load, and accounts for every message id.
 * {@code -Dnyala.switch.seconds=N} makes it longer.
 */
@Timeout(600)
class StrategySwitchTest {
  private static final int SECONDS = Integer.getInteger("nyala.switch.seconds", 3);

  /** The duration under one strategy. */
  private static final int SECONDS_EACH = Math.clamp(SECONDS / 5, 1, 5);

  private static final long SEED = Seeds.seed();
  private static final int SWITCH_MILLIS = 200;

  /** The changes without which it goes on: half of those that a machine without stalls makes. */
  private static final long WANTED = TimeUnit.SECONDS.toMillis(SECONDS) / SWITCH_MILLIS / 2;

  private static final int FURTHER_SECONDS = 60;
  private static final int CLIENTS = 8;
  private static final int PEOPLE = 400;

  @TempDir Path folder;

  private RunningServer start() throws Exception {
    Path ldif = folder.resolve("people.ldif");
    Path file =
        Files.writeString(
            folder.resolve("test.conf"),
            """
            nyala {
              listeners = ["ldap://127.0.0.1:0"]
              data = data
              root { dn = "cn=admin,dc=example,dc=com", password = admin }
              access.anonymousRead = true
              password { scheme = BCRYPT, upgradeAtBind = false }
            }
            """);
    NyalaConfig configuration = ConfigurationFile.read(file, folder);
    run("sample", "--entries", Integer.toString(PEOPLE), "-o", ldif.toString());
    run(
        "import",
        "--config",
        file.toString(),
        "--data",
        configuration.data().toString(),
        ldif.toString());
    return RunningServer.start(configuration, Installation.current());
  }

  private static void run(String... arguments) {
    assertThat(Main.commandLine().execute(arguments)).isEqualTo(ExitCode.OK);
  }

  private static int port(RunningServer server) {
    return LocalServer.port(server);
  }

  private static void makeOnePasswordSlow(int port) throws Exception {
    try (LDAPConnection admin =
        new LDAPConnection("127.0.0.1", port, "cn=admin,dc=example,dc=com", "admin")) {
      admin.processExtendedOperation(
          new PasswordModifyExtendedRequest(
              "uid=user.1,ou=People,dc=example,dc=com", (String) null, "password.1"));
    }
  }

  @Test
  void shouldAnswerEveryRequestOnceWhileTheStrategyChanges() throws Exception {
    try (RunningServer server = start();
        ManagementBeans beans =
            new ManagementBeans(
                ManagementFactory.getPlatformMBeanServer(), server.served().notices());
        ScheduledExecutorService clock = Executors.newScheduledThreadPool(1);
        ExecutorService threads = Executors.newFixedThreadPool(CLIENTS)) {
      beans.with(server.dispatchManagement());
      makeOnePasswordSlow(port(server));
      DispatchMXBean dispatch =
          JMX.newMXBeanProxy(
              ManagementFactory.getPlatformMBeanServer(),
              new ObjectName(DispatchMXBean.NAME),
              DispatchMXBean.class);
      ScheduledFuture<?> switching = switchAtRandom(dispatch, clock);
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
      long last = end + TimeUnit.SECONDS.toNanos(FURTHER_SECONDS);
      BooleanSupplier goOn =
          () -> {
            long now = System.nanoTime();
            boolean isDue = now - end < 0 || server.dispatchManagement().getSwitches() < WANTED;
            return isDue && now - last < 0 && !switching.isDone();
          };
      long answered = 0;
      for (Future<Long> client : threads.invokeAll(clients(port(server), goOn))) {
        answered += client.get();
      }
      assertThat(switching.isDone()).as("switching failed").isFalse();
      switching.cancel(false);
      assertThat(dispatch.getSwitches()).as("seed %d", SEED).isGreaterThanOrEqualTo(WANTED);
      System.out.printf(
          Locale.ROOT,
          "%d requests answered once each, %d changes of strategy, seed %d%n",
          answered,
          dispatch.getSwitches(),
          SEED);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"lightweight", "lightweight-conditioned", "virtual-threads"})
  void shouldAnswerEveryRequestOnceUnder(String strategy) throws Exception {
    try (RunningServer server = start();
        ManagementBeans beans =
            new ManagementBeans(
                ManagementFactory.getPlatformMBeanServer(), server.served().notices());
        ExecutorService threads = Executors.newFixedThreadPool(CLIENTS)) {
      DispatchManagement dispatch = server.dispatchManagement();
      beans.with(dispatch);
      dispatch.switchStrategy(strategy);
      makeOnePasswordSlow(port(server));
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS_EACH);
      for (Future<Long> client :
          threads.invokeAll(clients(port(server), () -> System.nanoTime() - end < 0))) {
        assertThat(client.get()).isPositive();
      }
      eventually("nothing is in flight", () -> dispatch.getInFlight() == 0);
    }
  }

  private static List<Callable<Long>> clients(int port, BooleanSupplier goOn) {
    List<Callable<Long>> clients = new ArrayList<>();
    for (int i = 0; i < CLIENTS; i++) {
      Random random = new Random(SEED + i);
      clients.add(
          () -> {
            try (AccountingClient client = new AccountingClient(port, PEOPLE, random)) {
              return client.run(goOn);
            } catch (AssertionError | Exception e) {
              throw new AssertionError("seed " + SEED, e);
            }
          });
    }
    return clients;
  }

  private static ScheduledFuture<?> switchAtRandom(
      DispatchMXBean dispatch, ScheduledExecutorService clock) {
    List<String> strategies = dispatch.getStrategies();
    Random random = new Random(SEED);
    return clock.scheduleAtFixedRate(
        () -> {
          String next = strategies.get(random.nextInt(strategies.size()));
          dispatch.switchStrategy(next);
          assertThat(dispatch.getStrategy()).isEqualTo(next);
        },
        SWITCH_MILLIS,
        SWITCH_MILLIS,
        TimeUnit.MILLISECONDS);
  }
}
