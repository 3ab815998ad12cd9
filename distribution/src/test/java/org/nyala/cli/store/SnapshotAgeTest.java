package org.nyala.cli.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.unboundid.ldap.sdk.LDAPConnection;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.Patience;
import org.nyala.error.CommandException;
import org.nyala.error.ExitCode;
import org.nyala.process.LocalCommands;
import org.nyala.process.Processes;
import org.nyala.process.ServerProcess;

/** Commands that read the data of a running server for too long. */
@Timeout(300)
class SnapshotAgeTest {
  @TempDir Path folder;

  @Test
  void shouldEndAfterItsTimeIfAServerRuns() {
    AtomicLong clock = new AtomicLong(5);
    AtomicBoolean isServed = new AtomicBoolean(true);
    SnapshotAge age = new SnapshotAge(10, clock::get, isServed::get);
    SnapshotAge unbounded = new SnapshotAge(0, clock::get, isServed::get);
    clock.addAndGet(TimeUnit.SECONDS.toNanos(10));
    assertThatCode(age::require).doesNotThrowAnyException();
    clock.addAndGet(TimeUnit.SECONDS.toNanos(1));
    assertThatThrownBy(age::require)
        .isInstanceOfSatisfying(
            CommandException.class, e -> assertThat(e.exitCode()).isEqualTo(ExitCode.FAILED))
        .hasMessage(
            "ended after 11 seconds, so that the server can use freed pages again; not complete"
                + " (store.readerAgeSeconds)");
    assertThatCode(unbounded::require).doesNotThrowAnyException();
    isServed.set(false);
    assertThatCode(age::require).doesNotThrowAnyException();
  }

  @Test
  void shouldEndAnExportThatNobodyReads() throws Exception {
    Path configuration = ServerProcess.configure(folder, "store.readerAgeSeconds = 1");
    Path pipe = folder.resolve("pipe");
    Processes.run(folder, Map.of("PATH", "/usr/bin:/bin"), List.of("mkfifo", pipe.toString()))
        .shouldSucceed();
    try (ServerProcess server = ServerProcess.serve(folder);
        LDAPConnection client =
            new LDAPConnection("127.0.0.1", server.port(), "cn=admin", "admin")) {
      client.add("dn: dc=example,dc=com", "objectClass: domain", "dc: example");
      client.add(
          "dn: ou=a,dc=example,dc=com",
          "objectClass: organizationalUnit",
          "description: " + "x".repeat(1 << 20));
      LocalCommands nyala = new LocalCommands();
      FutureTask<Integer> export =
          new FutureTask<>(
              () ->
                  nyala.run(
                      configuration, "export", "--stall-seconds", "0", "-o", pipe.toString()));
      Thread.ofPlatform().daemon().name("test-export").start(export);
      // The pipe holds less than the entries take, so that the export waits for its reader.
      try (InputStream _ = Files.newInputStream(pipe)) {
        assertThat(Patience.get(export)).isEqualTo(ExitCode.FAILED);
      }
      assertThat(nyala.err()).contains("not complete (store.readerAgeSeconds)").hasLineCount(1);
    }
  }
}
