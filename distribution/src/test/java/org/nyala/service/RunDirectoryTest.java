package org.nyala.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.error.CommandException;
import org.nyala.error.ExitCode;

class RunDirectoryTest {
  @TempDir Path data;

  @Test
  void shouldKnowOfNobodyAtFirst() {
    RunDirectory run = new RunDirectory(data);
    assertThat(run.holder()).isEmpty();
    run.requireFree();
    assertThat(data).isEmptyDirectory();
  }

  @Test
  void shouldTellWhoServesAndWhetherItIsReady() {
    RunDirectory run = new RunDirectory(data);
    long pid = ProcessHandle.current().pid();
    try (RunDirectory.Lease lease = run.acquire()) {
      assertThat(run.holder()).contains(new RunDirectory.Holder(pid, List.of()));
      lease.ready(List.of("ldap://127.0.0.1:1389", "ldap://[::1]:1389"));
      assertThat(run.holder())
          .contains(
              new RunDirectory.Holder(pid, List.of("ldap://127.0.0.1:1389", "ldap://[::1]:1389")));
      assertThat(run.holder().orElseThrow().isReady()).isTrue();
    }
    assertThat(run.holder()).isEmpty();
    assertThat(data.resolve("run/nyala.pid")).doesNotExist();
  }

  @Test
  void shouldRefuseASecondServer() {
    RunDirectory run = new RunDirectory(data);
    RunDirectory.Lease lease = run.acquire();
    String message = "a server already runs on " + data;
    assertThatThrownBy(run::acquire)
        .isInstanceOf(CommandException.class)
        .hasMessageStartingWith(message)
        .extracting(e -> ((CommandException) e).exitCode())
        .isEqualTo(ExitCode.ALREADY_RUNNING);
    assertThatThrownBy(run::requireFree).hasMessageStartingWith(message);
    lease.close();
    run.acquire().close();
  }

  @Test
  void shouldNotBelieveFilesThatAKilledServerLeftBehind() throws IOException {
    RunDirectory run = new RunDirectory(data);
    run.create();
    Files.writeString(data.resolve("run/nyala.lock"), "");
    Files.writeString(data.resolve("run/nyala.pid"), ProcessHandle.current().pid() + "\n");
    Files.writeString(data.resolve("run/nyala.listeners"), "ldap://127.0.0.1:1389\n");
    assertThat(run.holder()).isEmpty();
    try (RunDirectory.Lease lease = run.acquire()) {
      assertThat(lease).isNotNull();
      assertThat(run.holder().orElseThrow().isReady()).isFalse();
    }
  }

  @Test
  void shouldKeepRoomForTheNextStart() throws IOException {
    RunDirectory run = new RunDirectory(data);
    Path spare = data.resolve("run/nyala.spare");
    try (RunDirectory.Lease lease = run.acquire()) {
      assertThat(spare).doesNotExist();
      lease.ready(List.of("ldap://127.0.0.1:1389"));
      assertThat(spare).isRegularFile();
    }
    assertThat(spare).isRegularFile();
  }

  @Test
  void shouldSayInOneLineThatAFolderCannotBeMade() throws IOException {
    Path file = Files.writeString(data.resolve("file"), "");
    RunDirectory run = new RunDirectory(file);
    assertThatThrownBy(run::acquire)
        .isInstanceOf(CommandException.class)
        .hasMessageContaining("cannot create the folder " + file.resolve("run"));
  }
}
