package org.nyala.cli.running;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.SearchScope;
import com.unboundid.ldif.LDIFException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.error.ExitCode;
import org.nyala.lmdb.env.CommitEvent;
import org.nyala.log.OperationEvent;
import org.nyala.management.bean.LocalManagement;
import org.nyala.management.bean.StrategyEvent;
import org.nyala.process.LocalCommands;
import org.nyala.process.ServerProcess;

/** Records a server in another process. */
@Timeout(600)
class RecordCommandTest {
  private static final String SUFFIX = "dc=example,dc=com";

  @TempDir Path folder;

  private final LocalCommands nyala = new LocalCommands();

  private int run(String... arguments) {
    List<String> all = new ArrayList<>(List.of("record"));
    all.addAll(List.of(arguments));
    return nyala.run(folder.resolve("test.conf"), all.toArray(String[]::new));
  }

  private static List<RecordedEvent> named(List<RecordedEvent> events, String name) {
    return events.stream().filter(event -> event.getEventType().getName().equals(name)).toList();
  }

  /** A recording, its duration and the command's output. */
  private record Recorded(int seconds, Path file, String said, List<RecordedEvent> events) {
    List<RecordedEvent> named(String name) {
      return RecordCommandTest.named(events, name);
    }
  }

  /** Records a server at work, for longer and longer until the recording contains enough. */
  private Recorded recordAtWork(ServerProcess server, int longerThan, Predicate<Recorded> isEnough)
      throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    AtomicBoolean isOver = new AtomicBoolean();
    Thread worker = work(server, begun, isOver);
    try {
      begun.await();
      Recorded recorded = record(1, longerThan);
      while (!isEnough.test(recorded)) {
        assertThat(recorded.seconds()).as("all kinds of events within this time").isLessThan(60);
        recorded = record(2 * recorded.seconds(), longerThan);
      }
      return recorded;
    } finally {
      isOver.set(true);
      worker.join();
    }
  }

  private Recorded record(int seconds, int longerThan) throws IOException {
    Path file = folder.resolve(seconds + ".jfr");
    int exitCode =
        run("--seconds=" + seconds, "--longer-than=" + longerThan, "-o", file.toString());
    assertThat(exitCode).as(nyala.err()).isEqualTo(ExitCode.OK);
    return new Recorded(seconds, file, nyala.out(), RecordingFile.readAllEvents(file));
  }

  /** Sends one request after the other until it is stopped. */
  private static Thread work(ServerProcess server, CountDownLatch begun, AtomicBoolean isOver) {
    return Thread.ofPlatform()
        .start(
            () -> {
              try (LDAPConnection client =
                      new LDAPConnection("127.0.0.1", server.port(), "cn=admin", "admin");
                  LocalManagement local = LocalManagement.attach(server.pid())) {
                client.add("dn: " + SUFFIX, "objectClass: domain", "dc: example");
                begun.countDown();
                for (int i = 0; !isOver.get(); i++) {
                  client.add("dn: ou=" + i + "," + SUFFIX, "objectClass: organizationalUnit");
                  client.search(SUFFIX, SearchScope.ONE, "(ou=" + i + ")");
                  if (i % 10 == 0) {
                    local.dispatch().switchStrategy(i % 20 == 0 ? "striped" : "adaptive");
                  }
                }
              } catch (LDAPException | LDIFException | IOException e) {
                throw new AssertionError(e);
              }
            });
  }

  @Test
  void shouldRecordOperationsCommitsAndSwitches() throws Exception {
    Recorded recorded;
    try (ServerProcess server = ServerProcess.start(folder, "")) {
      recorded = recordAtWork(server, 0, RecordCommandTest::hasAllThatIsLookedFor);
      String there = recorded.file().toString();
      assertThat(run("--seconds=1", "-o", there)).isEqualTo(ExitCode.FAILED);
      assertThat(nyala.err()).contains(".jfr already exists");
      assertThat(run("--seconds=1", "-o", "/nosuchfolder/x.jfr")).isEqualTo(ExitCode.FAILED);
    }
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(recorded.file())))
        .isEqualTo("rw-------");
    checkOperations(recorded.named(OperationEvent.NAME));
    checkCommits(recorded.named(CommitEvent.NAME));
    List<RecordedEvent> switches = recorded.named(StrategyEvent.NAME);
    assertThat(switches.getFirst().getString("strategy")).isIn("striped", "adaptive");
    assertThat(switches.getFirst().getEventType().getCategoryNames()).containsExactly("Nyala");
    assertThat(recorded.said())
        .contains(
            String.format(
                Locale.ROOT,
                "recorded %d s: %d operations longer than 0 ms, %d commits, %d switches",
                recorded.seconds(),
                recorded.named(OperationEvent.NAME).size(),
                recorded.named(CommitEvent.NAME).size(),
                switches.size()));
    assertThat(recorded.named("jdk.InitialEnvironmentVariable")).isEmpty();
    assertThat(recorded.named("jdk.InitialSystemProperty")).isEmpty();
  }

  private static boolean hasAllThatIsLookedFor(Recorded recorded) {
    List<String> operations =
        recorded.named(OperationEvent.NAME).stream()
            .map(event -> event.getString("operation"))
            .toList();
    return operations.size() > 10
        && operations.containsAll(List.of("search", "add"))
        && recorded.named(CommitEvent.NAME).size() > 5
        && !recorded.named(StrategyEvent.NAME).isEmpty()
        && !recorded.named("jdk.CPULoad").isEmpty();
  }

  private static void checkOperations(List<RecordedEvent> operations) {
    List<RecordedEvent> searches =
        operations.stream().filter(event -> event.getString("operation").equals("search")).toList();
    RecordedEvent search = searches.getFirst();
    assertThat(search.getString("request"))
        .startsWith("SRCH base=\"" + SUFFIX + "\" scope=1 deref=0 filter=\"(ou=");
    assertThat(search.getString("identity")).isEqualTo("cn=admin");
    assertThat(search.getString("result")).isEqualTo("success");
    assertThat(search.getInt("entries")).isEqualTo(1);
    assertThat(search.getInt("connection")).isEqualTo(1);
    assertThat(search.getDuration("total")).isPositive();
    assertThat(search.getDuration("execute"))
        .isPositive()
        .isLessThanOrEqualTo(search.getDuration("total"));
    List<RecordedEvent> adds =
        operations.stream().filter(event -> event.getString("operation").equals("add")).toList();
    assertThat(adds.getFirst().getDuration("commit")).isGreaterThan(Duration.ZERO);
    assertThat(search.getEventType().getLabel()).isEqualTo("LDAP Operation");
    assertThat(search.getEventType().getFields())
        .filteredOn(field -> !field.getName().equals("startTime"))
        .allSatisfy(field -> assertThat(field.getLabel()).as(field.getName()).isNotNull());
  }

  private static void checkCommits(List<RecordedEvent> commits) {
    // The buffers of a recording are in any order.
    assertThat(commits).extracting(commit -> commit.getLong("transaction")).doesNotHaveDuplicates();
    for (RecordedEvent commit : commits) {
      assertThat(commit.getDuration()).isPositive();
      assertThat(commit.getLong("changes")).isEqualTo(1);
      assertThat(commit.getLong("written")).isGreaterThan(4096);
      assertThat(commit.getLong("pages")).isBetween(2L, 1000L);
    }
  }

  @Test
  void shouldLeaveShortOperationsOut() throws Exception {
    try (ServerProcess server = ServerProcess.start(folder, "")) {
      Recorded recorded =
          recordAtWork(server, 3_600_000, found -> !found.named(CommitEvent.NAME).isEmpty());
      assertThat(recorded.named(OperationEvent.NAME)).isEmpty();
    }
  }

  @Test
  void shouldSayWhyThereIsNoRecording() throws Exception {
    ServerProcess.configure(folder, "");
    assertThat(run("-o", folder.resolve("x.jfr").toString())).isEqualTo(ExitCode.NOT_RUNNING);
    assertThat(run("--seconds=0")).isEqualTo(ExitCode.USAGE);
    assertThat(run("--longer-than=-1")).isEqualTo(ExitCode.USAGE);
    assertThat(folder.resolve("x.jfr")).doesNotExist();
  }
}
