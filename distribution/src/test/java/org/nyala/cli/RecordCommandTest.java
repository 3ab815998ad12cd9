package org.nyala.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.SearchScope;
import com.unboundid.ldif.LDIFException;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.lmdb.CommitEvent;
import org.nyala.log.OperationEvent;
import org.nyala.management.LocalManagement;
import org.nyala.management.StrategyEvent;

/** A server in another process is recorded. */
@Timeout(180)
class RecordCommandTest {
  private static final String SUFFIX = "dc=example,dc=com";

  @TempDir Path folder;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... arguments) {
    List<String> all = new ArrayList<>(List.of("record"));
    all.add("--config=" + folder.resolve("test.conf"));
    all.addAll(List.of(arguments));
    return Main.commandLine()
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(all.toArray(String[]::new));
  }

  private static List<RecordedEvent> named(List<RecordedEvent> events, String name) {
    return events.stream().filter(event -> event.getEventType().getName().equals(name)).toList();
  }

  /** Does one thing after the other until it is told to end. */
  private static Thread work(ServerProcess server, AtomicBoolean isOver) {
    return Thread.ofPlatform()
        .start(
            () -> {
              try (LDAPConnection client =
                      new LDAPConnection("127.0.0.1", server.port(), "cn=admin", "admin");
                  LocalManagement local = LocalManagement.attach(server.pid())) {
                client.add("dn: " + SUFFIX, "objectClass: domain", "dc: example");
                for (int i = 0; !isOver.get(); i++) {
                  client.add("dn: ou=" + i + "," + SUFFIX, "objectClass: organizationalUnit");
                  client.search(SUFFIX, SearchScope.ONE, "(ou=" + i + ")");
                  if (i % 50 == 0) {
                    local.dispatch().switchStrategy(i % 100 == 0 ? "striped" : "adaptive");
                  }
                }
              } catch (LDAPException | LDIFException | IOException e) {
                throw new AssertionError(e);
              }
            });
  }

  @Test
  void shouldRecordOperationsCommitsAndSwitches() throws Exception {
    Path file = folder.resolve("out.jfr");
    try (ServerProcess server = ServerProcess.start(folder, "")) {
      AtomicBoolean isOver = new AtomicBoolean();
      Thread worker = work(server, isOver);
      int exitCode = run("--seconds=3", "--longer-than=0", "-o", file.toString());
      isOver.set(true);
      worker.join();
      assertThat(exitCode).as(err.toString()).isEqualTo(ExitCode.OK);
      assertThat(run("--seconds=1", "-o", file.toString())).isEqualTo(ExitCode.FAILED);
      assertThat(err.toString()).contains("out.jfr is there already");
      assertThat(run("--seconds=1", "-o", "/nosuchfolder/x.jfr")).isEqualTo(ExitCode.FAILED);
    }
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
    List<RecordedEvent> events = RecordingFile.readAllEvents(file);
    checkOperations(named(events, OperationEvent.NAME));
    checkCommits(named(events, CommitEvent.NAME));
    List<RecordedEvent> switches = named(events, StrategyEvent.NAME);
    assertThat(switches).isNotEmpty();
    assertThat(switches.getFirst().getString("strategy")).isIn("striped", "adaptive");
    assertThat(switches.getFirst().getEventType().getCategoryNames()).containsExactly("Nyala");
    assertThat(out.toString())
        .contains(
            "recorded 3 s: %d operations longer than 0 ms, %d commits, %d switches"
                .formatted(
                    named(events, OperationEvent.NAME).size(),
                    named(events, CommitEvent.NAME).size(),
                    switches.size()));
    assertThat(named(events, "jdk.CPULoad")).isNotEmpty();
    assertThat(named(events, "jdk.InitialEnvironmentVariable")).isEmpty();
    assertThat(named(events, "jdk.InitialSystemProperty")).isEmpty();
  }

  private static void checkOperations(List<RecordedEvent> operations) {
    assertThat(operations).hasSizeGreaterThan(10);
    List<RecordedEvent> searches =
        operations.stream().filter(event -> event.getString("operation").equals("search")).toList();
    assertThat(searches).isNotEmpty();
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
    assertThat(adds).isNotEmpty();
    assertThat(adds.getFirst().getDuration("commit")).isGreaterThan(Duration.ZERO);
    assertThat(search.getEventType().getLabel()).isEqualTo("LDAP Operation");
    assertThat(search.getEventType().getFields())
        .filteredOn(field -> !field.getName().equals("startTime"))
        .allSatisfy(field -> assertThat(field.getLabel()).as(field.getName()).isNotNull());
  }

  private static void checkCommits(List<RecordedEvent> commits) {
    assertThat(commits).hasSizeGreaterThan(5);
    // A recording has its buffers in any order.
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
    Path file = folder.resolve("out.jfr");
    try (ServerProcess server = ServerProcess.start(folder, "")) {
      AtomicBoolean isOver = new AtomicBoolean();
      Thread worker = work(server, isOver);
      int exitCode = run("--seconds=1", "--longer-than=3600000", "-o", file.toString());
      isOver.set(true);
      worker.join();
      assertThat(exitCode).as(err.toString()).isEqualTo(ExitCode.OK);
    }
    List<RecordedEvent> events = RecordingFile.readAllEvents(file);
    assertThat(named(events, OperationEvent.NAME)).isEmpty();
    assertThat(named(events, CommitEvent.NAME)).isNotEmpty();
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
