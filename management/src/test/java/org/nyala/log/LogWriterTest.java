package org.nyala.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.nyala.core.Patience.eventually;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LogWriterTest {
  private record Line(String words) implements LogRecord {
    @Override
    public long bytes() {
      return 100;
    }

    @Override
    public void appendTo(StringBuilder text) {
      text.append(words).append('\n');
    }
  }

  /** Blocks the writer until it is opened. */
  private record Gate(CountDownLatch reached, CountDownLatch open) implements LogRecord {
    @Override
    public long bytes() {
      return 100;
    }

    @Override
    public void appendTo(StringBuilder text) {
      reached.countDown();
      try {
        open.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      text.append("gate\n");
    }
  }

  @TempDir Path folder;

  private Path file() {
    return folder.resolve("deep/er/test.log");
  }

  private LogWriter start(long fileBytes, int files, int records, long bytes) throws IOException {
    return LogWriter.start(
        new LogSettings(file(), fileBytes, files, records, bytes), "test", n -> n + " dropped\n");
  }

  @Test
  void shouldWriteEverythingInOrderOfEachThread() throws Exception {
    List<Thread> threads = new ArrayList<>();
    try (LogWriter writer = start(1 << 30, 1, 1 << 16, 1 << 30)) {
      for (int t = 0; t < 4; t++) {
        String name = "t" + t + " ";
        threads.add(
            Thread.ofPlatform()
                .start(
                    () -> IntStream.range(0, 5000).forEach(i -> writer.add(new Line(name + i)))));
      }
      for (Thread thread : threads) {
        thread.join();
      }
      assertThat(writer.dropped()).isZero();
    }
    List<String> lines = Files.readAllLines(file());
    assertThat(lines).hasSize(20_000);
    for (int t = 0; t < 4; t++) {
      String name = "t" + t + " ";
      assertThat(lines.stream().filter(line -> line.startsWith(name)))
          .containsExactlyElementsOf(IntStream.range(0, 5000).mapToObj(i -> name + i).toList());
    }
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file())))
        .isEqualTo("rw-------");
  }

  @Test
  void shouldNeverWaitButCountAndSayWhatItDrops() throws Exception {
    CountDownLatch reached = new CountDownLatch(1);
    CountDownLatch open = new CountDownLatch(1);
    try (LogWriter writer = start(1 << 30, 1, 16, 1 << 30)) {
      writer.add(new Gate(reached, open));
      reached.await();
      for (int i = 0; i < 100; i++) {
        writer.add(new Line("line " + i));
      }
      assertThat(writer.dropped()).isEqualTo(84);
      open.countDown();
    }
    List<String> lines = Files.readAllLines(file());
    assertThat(lines).hasSize(18).startsWith("gate", "line 0").contains("84 dropped");
  }

  @Test
  void shouldBoundTheMemoryOfWhatWaits() throws Exception {
    CountDownLatch reached = new CountDownLatch(1);
    CountDownLatch open = new CountDownLatch(1);
    try (LogWriter writer = start(1 << 30, 1, 1 << 10, 550)) {
      writer.add(new Gate(reached, open));
      reached.await();
      for (int i = 0; i < 100; i++) {
        writer.add(new Line("line " + i));
      }
      assertThat(writer.dropped()).isEqualTo(96);
      open.countDown();
    }
    assertThat(Files.readAllLines(file())).contains("line 3", "96 dropped").hasSize(6);
  }

  private record Ranked(Rank rank, long bytes, String words) implements LogRecord {
    @Override
    public void appendTo(StringBuilder text) {
      text.append(words).append('\n');
    }
  }

  /** Adds many records of each rank, the least important first, while nothing is written. */
  private List<String> written(int records, long bytes) throws Exception {
    CountDownLatch reached = new CountDownLatch(1);
    CountDownLatch open = new CountDownLatch(1);
    try (LogWriter writer = start(1 << 30, 1, records, bytes)) {
      writer.add(new Gate(reached, open));
      reached.await();
      for (LogRecord.Rank rank : LogRecord.Rank.values()) {
        for (int i = 0; i < 100; i++) {
          writer.add(new Ranked(rank, 100, rank + " " + i));
        }
      }
      open.countDown();
    }
    return Files.readAllLines(file());
  }

  @Test
  void shouldKeepPlacesForLoginsAndChangesFromFailures() throws Exception {
    assertThat(written(16, 1 << 30))
        .filteredOn(line -> !line.equals("gate"))
        .containsExactly(
            "FAILURE 0",
            "FAILURE 1",
            "FAILURE 2",
            "FAILURE 3",
            "FAILURE 4",
            "FAILURE 5",
            "FAILURE 6",
            "FAILURE 7",
            "LOGIN 0",
            "LOGIN 1",
            "LOGIN 2",
            "LOGIN 3",
            "LOGIN 4",
            "LOGIN 5",
            "CHANGE 0",
            "CHANGE 1",
            "284 dropped");
  }

  @Test
  void shouldKeepMemoryForLoginsAndChangesFromFailures() throws Exception {
    // The gate takes as much as a record until it has passed.
    assertThat(written(1 << 10, 800))
        .filteredOn(line -> !line.equals("gate"))
        .containsExactly(
            "FAILURE 0",
            "FAILURE 1",
            "FAILURE 2",
            "LOGIN 0",
            "LOGIN 1",
            "LOGIN 2",
            "CHANGE 0",
            "293 dropped");
  }

  @Test
  void shouldBeginAnotherFileWithoutPartingALine() throws Exception {
    for (int round = 0; round < 10; round++) {
      try (LogWriter writer = start(1000, 3, 1 << 10, 1 << 20)) {
        for (int i = 0; i < 10; i++) {
          writer.add(new Line("round " + round + " line " + i + " " + "x".repeat(40)));
        }
      }
    }
    TreeSet<String> names = new TreeSet<>();
    List<String> lines = new ArrayList<>();
    for (String suffix : List.of(".3", ".2", ".1", "")) {
      Path each = file().resolveSibling("test.log" + suffix);
      names.add(each.getFileName().toString());
      assertThat(Files.size(each)).isBetween(1L, 1000L);
      lines.addAll(Files.readAllLines(each));
    }
    try (var all = Files.list(file().getParent())) {
      assertThat(all.map(path -> path.getFileName().toString()))
          .containsExactlyInAnyOrderElementsOf(names);
    }
    assertThat(lines).allMatch(line -> line.matches("round \\d line \\d x{40}"));
    assertThat(lines.getLast()).startsWith("round 9 line 9");
    assertThat(lines).isSortedAccordingTo(String::compareTo);
  }

  @Test
  void shouldGoOnWhenTheFileCanBeWrittenAgain() throws Exception {
    // A folder cannot be appended to; once it is renamed, the log continues.
    try (LogWriter writer = start(10, 1, 1 << 10, 1 << 20)) {
      writer.add(new Line("first line of the file"));
      Path older = file().resolveSibling("test.log.1");
      Files.createDirectories(older.resolve("in the way"));
      eventually("it is written", () -> Files.size(file()) > 0);
      writer.add(new Line("lost"));
      eventually("it is dropped", () -> writer.dropped() > 0);
      Files.delete(older.resolve("in the way"));
      writer.add(new Line("goes on"));
    }
    assertThat(Files.readString(file()) + Files.readString(file().resolveSibling("test.log.1")))
        .contains("1 dropped");
  }

  @Test
  void shouldSayAtOnceThatAFileCannotBeWritten() throws Exception {
    Files.writeString(folder.resolve("deep"), "a file where a folder should be");
    assertThatThrownBy(() -> start(10, 1, 16, 1000)).isInstanceOf(IOException.class);
  }

  /** Waits until a file has lines of the writer, which gets one after the other meanwhile. */
  private void eventuallyWrites(LogWriter writer, Path file) throws Exception {
    eventually(
        "lines in " + file,
        () -> {
          writer.add(new Line("next"));
          return Files.exists(file) && Files.size(file) > 0;
        });
  }

  /** Rotates as logrotate does, by renaming, and without a signal. */
  @Test
  void shouldBeginANewFileWhenAnotherProgramHasRenamedItsOwn() throws Exception {
    Path renamed = folder.resolve("renamed.log");
    try (LogWriter writer = start(1 << 30, 1, 1 << 16, 1 << 30)) {
      writer.add(new Line("first"));
      eventuallyWrites(writer, file());
      Files.move(file(), renamed);
      eventuallyWrites(writer, file());
      assertThat(Files.readAllLines(renamed)).startsWith("first");
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file())))
          .isEqualTo("rw-------");
      Files.delete(file());
      eventuallyWrites(writer, file());
      assertThat(writer.dropped()).isZero();
    }
  }

  /** Rotates as logrotate does with copytruncate. */
  @Test
  void shouldGoOnFromTheBeginningOfAFileThatAnotherProgramHasTruncated() throws Exception {
    try (LogWriter writer = start(1000, 2, 1 << 16, 1 << 30)) {
      writer.add(new Line("x".repeat(900)));
      eventuallyWrites(writer, file());
      Files.write(file(), new byte[0]);
      eventuallyWrites(writer, file());
      assertThat(Files.readAllLines(file())).containsOnly("next");
      assertThat(writer.dropped()).isZero();
    }
  }
}
