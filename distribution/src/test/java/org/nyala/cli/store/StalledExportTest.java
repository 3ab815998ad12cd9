package org.nyala.cli.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nyala.core.Patience;
import org.nyala.error.ExitCode;
import org.nyala.process.LocalCommands;
import org.nyala.process.Processes;

/** Exports into pipes without a reader. */
@Timeout(300)
class StalledExportTest {
  /** The number of entries: several times the capacity of a pipe and a buffer. */
  private static final int ENTRIES = 2000;

  private static final int PIECE_BYTES = 1 << 16;

  @TempDir Path folder;

  private final LocalCommands nyala = new LocalCommands();
  private Path pipe = Path.of("none");

  @BeforeEach
  void loadAndMakePipe() throws Exception {
    pipe = folder.resolve("pipe");
    String ldif = folder.resolve("a.ldif").toString();
    assertThat(nyala.run("sample", String.valueOf(ENTRIES), "-o", ldif)).isZero();
    assertThat(nyala.run("import", ldif, "--data", data())).isZero();
    Processes.run(folder, Map.of("PATH", "/usr/bin:/bin"), List.of("mkfifo", pipe.toString()))
        .shouldSucceed();
  }

  private String data() {
    return folder.resolve("data").toString();
  }

  private FutureTask<Integer> export(String stallSeconds) {
    FutureTask<Integer> export =
        new FutureTask<>(
            () ->
                nyala.run(
                    "export",
                    "--data",
                    data(),
                    "--stall-seconds",
                    stallSeconds,
                    "-o",
                    pipe.toString()));
    Thread.ofPlatform().daemon().name("test-export").start(export);
    return export;
  }

  @Test
  void shouldEndWhenNobodyReads() throws Exception {
    FutureTask<Integer> export = export("1");
    try (InputStream reader = Files.newInputStream(pipe)) {
      assertThat(reader.read()).isPositive();
      assertThat(Patience.get(export)).isEqualTo(ExitCode.FAILED);
      assertThat(nyala.err())
          .startsWith("nyala: ")
          .contains("not complete")
          .contains("--stall-seconds")
          .hasLineCount(1);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "3600"})
  void shouldWriteIntoAPipeWhatItWritesIntoAFile(String stallSeconds) throws Exception {
    Path file = folder.resolve("file.ldif");
    assertThat(nyala.run("export", "--data", data(), "-o", file.toString())).isZero();
    assertThat(Files.size(file)).isGreaterThan(8 * PIECE_BYTES);
    FutureTask<Integer> export = export(stallSeconds);
    ByteArrayOutputStream read = new ByteArrayOutputStream();
    try (InputStream reader = Files.newInputStream(pipe)) {
      // Less than a piece, and no divisor of one: each write waits for several reads.
      byte[] bytes = reader.readNBytes(7001);
      while (bytes.length > 0) {
        read.writeBytes(bytes);
        bytes = reader.readNBytes(7001);
      }
    }
    assertThat(Patience.get(export)).as(nyala.err()).isZero();
    assertThat(read.toString(StandardCharsets.UTF_8)).isEqualTo(Files.readString(file));
  }

  @Test
  void shouldRefuseNegativeTimes() {
    assertThat(nyala.run("export", "--data", data(), "--stall-seconds", "-1"))
        .isEqualTo(ExitCode.USAGE);
    assertThat(nyala.err()).contains("--stall-seconds");
  }
}
