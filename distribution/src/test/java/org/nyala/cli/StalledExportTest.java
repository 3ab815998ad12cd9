package org.nyala.cli;

import static org.assertj.core.api.Assertions.assertThat;

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
import org.nyala.core.Patience;

/** Exports into pipes from which nobody reads. */
@Timeout(120)
class StalledExportTest {
  /** Several times what a pipe and a buffer take. */
  private static final int ENTRIES = 2000;

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

  @Test
  void shouldBeCompleteWhenSomebodyReadsInTheEnd() throws Exception {
    FutureTask<Integer> export = export("0");
    String ldif;
    try (InputStream reader = Files.newInputStream(pipe)) {
      ldif = new String(reader.readAllBytes(), StandardCharsets.UTF_8);
    }
    assertThat(Patience.get(export)).as(nyala.err()).isZero();
    assertThat(ldif).contains("dn: uid=user." + (ENTRIES - 1) + ",");
  }

  @Test
  void shouldRefuseNegativeTimes() {
    assertThat(nyala.run("export", "--data", data(), "--stall-seconds", "-1"))
        .isEqualTo(ExitCode.USAGE);
    assertThat(nyala.err()).contains("--stall-seconds");
  }
}
