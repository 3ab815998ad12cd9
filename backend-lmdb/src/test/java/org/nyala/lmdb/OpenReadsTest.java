package org.nyala.lmdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.backend.WriteTransaction;
import org.nyala.core.entry.Entry;
import org.nyala.lmdb.admin.StoreSpace;
import org.nyala.lmdb.env.LmdbSettings;

/** The open reads as a store reports them, its own and those of other processes. */
@Timeout(300)
public class OpenReadsTest {
  @TempDir Path directory;

  private LmdbBackend empty() {
    TestStore.create(directory);
    return LmdbBackend.open(directory, TestStore.SCHEMA, TestStore.SETTINGS);
  }

  private static void commit(LmdbBackend backend, String name) {
    try (WriteTransaction write = backend.beginWrite()) {
      Entry entry = new Entry(TestStore.dn(name));
      write.apply(new ResolvedChange.Add(entry));
      write.commit();
    }
  }

  private static String person(int number) {
    return "cn=" + number + "," + TestStore.SUFFIX;
  }

  @Test
  void shouldSeeItsOwnOldRead() {
    try (LmdbBackend backend = empty()) {
      commit(backend, TestStore.SUFFIX);
      assertThat(backend.status().oldestRead().behind()).isZero();
      assertThat(backend.status().oldestRead().process()).isZero();
      try (ReadTransaction _ = backend.beginRead()) {
        assertThat(backend.status().oldestRead().behind()).isZero();
        assertThat(backend.status().readers().reading()).isEqualTo(1);
        commit(backend, person(1));
        commit(backend, person(2));
        StoreStatus status = backend.status();
        assertThat(status.oldestRead().behind()).isEqualTo(2);
        assertThat(status.oldestRead().process()).isEqualTo(ProcessHandle.current().pid());
        assertThat(status.readers().readingElsewhere()).isZero();
        long before = status.oldestRead().nanos();
        // A clock may show the same time at two looks.
        eventually("the clock goes on", () -> backend.status().oldestRead().nanos() != before);
        assertThat(backend.status().oldestRead().nanos()).isGreaterThan(before);
      }
      assertThat(backend.status().oldestRead().behind()).isZero();
      assertThat(backend.status().oldestRead().nanos()).isZero();
    }
  }

  @Test
  void shouldSeeOldReadsOfOtherProcesses() throws Exception {
    try (LmdbBackend backend = empty()) {
      commit(backend, TestStore.SUFFIX);
      Process other = OtherProcess.start(OpenReadsTest.class, directory.toString());
      try (BufferedReader said =
          new BufferedReader(
              new InputStreamReader(other.getInputStream(), StandardCharsets.UTF_8))) {
        assertThat(said.readLine()).isEqualTo("reading");
        assertThat(backend.status().readers().readingElsewhere()).isEqualTo(1);
        assertThat(backend.status().readers().reading()).isZero();
        commit(backend, person(1));
        assertThat(backend.status().oldestRead().behind()).isEqualTo(1);
        assertThat(backend.status().oldestRead().process()).isEqualTo(other.pid());
        other.getOutputStream().close();
        assertThat(said.readLine()).isEqualTo("read");
        assertThat(other.waitFor()).isZero();
        assertThat(backend.status().readers().readingElsewhere()).isZero();
        assertThat(backend.status().oldestRead().behind()).isZero();
      } finally {
        other.destroyForcibly();
      }
    }
  }

  /**
   * Other processes take readers for dead if their process has lost its lock: then pages would be
   * reused that are still being read.
   */
  @Test
  void shouldKeepItsReadersAliveForOthers() throws Exception {
    try (LmdbBackend backend = empty()) {
      commit(backend, TestStore.SUFFIX);
      try (ReadTransaction _ = backend.beginRead()) {
        commit(backend, person(1));
        assertThat(backend.status().oldestRead().behind()).isEqualTo(1);
        // This thread has its read open, so another one looks.
        CompletableFuture<StoreSpace> space =
            CompletableFuture.supplyAsync(
                () -> StoreSpace.of(backend), work -> Thread.ofPlatform().start(work));
        assertThat(space.join().pages()).isPositive();
        // The thread that looks may be interrupted when the server ends.
        Thread.currentThread().interrupt();
        assertThat(backend.status().oldestRead().behind()).isEqualTo(1);
        assertThat(Thread.interrupted()).isTrue();
        Process other = OtherProcess.start(OpenReadsTest.class, directory.toString());
        try {
          // The other process looks for stale readers when it opens the store.
          other.getOutputStream().close();
          assertThat(other.waitFor()).isZero();
        } finally {
          other.destroyForcibly();
        }
        assertThat(backend.status().oldestRead().behind()).isEqualTo(1);
      }
    }
  }

  /** The other process: reads until the end of its input. */
  public static void main(String... arguments) throws Exception {
    LmdbSettings settings = TestStore.SETTINGS.asReadOnly();
    try (LmdbBackend backend =
        LmdbBackend.open(Path.of(arguments[0]), TestStore.SCHEMA, settings)) {
      try (ReadTransaction _ = backend.beginRead()) {
        System.out.println("reading");
        int end = System.in.read();
        System.out.println(end < 0 ? "read" : "asked");
      }
    }
  }
}
