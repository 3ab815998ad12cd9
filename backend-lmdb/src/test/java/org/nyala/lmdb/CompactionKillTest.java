package org.nyala.lmdb;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.nyala.core.Seeds;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.backend.WriteTransaction;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.Entry;
import org.nyala.lmdb.admin.StoreCompaction;
import org.nyala.lmdb.admin.StoreCompaction.Step;
import org.nyala.lmdb.admin.Verification;
import org.nyala.lmdb.env.LmdbEnvironment;
import org.nyala.lmdb.env.StagedDirectory;
import org.nyala.lmdb.env.StoreException;

/** Compactions that are killed, or cannot write, in processes of their own. */
@Timeout(300)
class CompactionKillTest {
  private static final int SIZE = 1000;
  private static final int HALTED = 7;

  @TempDir static Path template;

  @TempDir Path folder;

  private Path data;

  @BeforeAll
  static void fill() {
    TestStore.random(template, new Random(Seeds.seed()), SIZE);
  }

  /** Copies the store, which takes less long than making another one. */
  @BeforeEach
  void copy() throws IOException {
    data = Files.createDirectory(folder.resolve("data"));
    Files.copy(
        template.resolve(LmdbEnvironment.DATA_FILE), data.resolve(LmdbEnvironment.DATA_FILE));
  }

  @ParameterizedTest
  @EnumSource(Step.class)
  void shouldHaveEveryReportedChangeWhereverItIsKilled(Step step) throws Exception {
    Object before = fileKey(data);
    Process process =
        OtherProcess.start(CompactionKillTest.class, data.toString(), step.toString());
    List<String> lines;
    try (BufferedReader output = process.inputReader()) {
      lines = output.lines().toList();
    }
    assertThat(process.waitFor()).isEqualTo(HALTED);
    assertThat(lines).last().isEqualTo("at " + step);
    assertThat(lines.stream().filter(line -> line.startsWith("stored "))).isNotEmpty();
    assertThat(Verification.verify(data, TestStore.SCHEMA, 10).problems()).isEmpty();
    try (LmdbBackend backend = LmdbBackend.open(data, TestStore.SCHEMA, TestStore.SETTINGS)) {
      try (ReadTransaction read = backend.beginRead()) {
        for (String line : lines) {
          if (line.startsWith("stored ")) {
            assertThat(read.find(name(line.substring(7)))).as(line).isPositive();
          }
        }
      }
      boolean isExchanged = step == Step.EXCHANGED;
      assertThat(fileKey(data).equals(before)).isEqualTo(!isExchanged);
      assertThat(remains()).hasSize(1);
      StagedDirectory.clean(backend.environment());
      assertThat(remains()).isEmpty();
      add(backend, "afterwards");
    }
    assertThat(Verification.verify(data, TestStore.SCHEMA, 10).problems()).isEmpty();
  }

  @Test
  void shouldGoOnWithTheOldDataWhenTheDiskTakesNoCopy() throws Exception {
    Process process = OtherProcess.start(CompactionKillTest.class, data.toString(), "full");
    try (BufferedReader output = process.inputReader()) {
      List<String> lines = output.lines().toList();
      assertThat(lines).hasSize(3);
      assertThat(lines.getFirst())
          .startsWith("cannot copy the data to ")
          .contains("the file may not grow further");
      assertThat(lines.subList(1, 3)).containsExactly("stored afterwards", "compacted");
    }
    assertThat(process.waitFor()).isZero();
    assertThat(remains()).isEmpty();
    assertThat(Verification.verify(data, TestStore.SCHEMA, 10).problems()).isEmpty();
  }

  /** Bounds the files that this process writes. */
  private static void bound(String bytes) throws Exception {
    String pid = Long.toString(ProcessHandle.current().pid());
    Process prlimit =
        new ProcessBuilder("prlimit", "--pid", pid, "--fsize=" + bytes + ":unlimited").start();
    assertThat(prlimit.waitFor()).isZero();
  }

  private static void compactOnAFullDisk(Path data) throws Exception {
    try (LmdbBackend backend = LmdbBackend.open(data, TestStore.SCHEMA, TestStore.SETTINGS)) {
      StoreCompaction.Listener silent = (_, _, _) -> {};
      bound("65536");
      try {
        new StoreCompaction(backend, TestStore.SETTINGS, silent).run();
      } catch (StoreException e) {
        System.out.println(e.getMessage());
      }
      bound("unlimited");
      add(backend, "afterwards");
      new StoreCompaction(backend, TestStore.SETTINGS, silent).run();
      System.out.println("compacted");
    }
  }

  private static Object fileKey(Path data) throws IOException {
    Path file = data.resolve(LmdbEnvironment.DATA_FILE);
    return Files.readAttributes(file, BasicFileAttributes.class).fileKey();
  }

  private List<String> remains() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> !name.equals("data"))
          .toList();
    }
  }

  private static Dn name(String cn) {
    return TestStore.dn("cn=" + cn + "," + TestStore.SUFFIX);
  }

  private static void add(LmdbBackend backend, String cn) {
    Entry entry = new Entry(name(cn));
    TestStore.add(entry, "cn", cn);
    try (WriteTransaction write = backend.beginWrite()) {
      write.apply(new ResolvedChange.Add(entry));
      write.commit();
    }
    System.out.println("stored " + cn);
  }

  /** The process that is killed at a step; until then it adds entries and reports them. */
  public static void main(String[] arguments) throws Exception {
    if (arguments[1].equals("full")) {
      compactOnAFullDisk(Path.of(arguments[0]));
      return;
    }
    Step last = Step.valueOf(arguments[1]);
    LmdbBackend backend =
        LmdbBackend.open(Path.of(arguments[0]), TestStore.SCHEMA, TestStore.SETTINGS);
    add(backend, "before");
    boolean[] isHeld = new boolean[1];
    int[] count = new int[1];
    new StoreCompaction(
            backend,
            TestStore.SETTINGS,
            (step, _, _) -> {
              isHeld[0] |= step == Step.HOLDING;
              if (!isHeld[0]) {
                add(backend, step + "-" + count[0]++);
              }
              if (step == last) {
                System.out.println("at " + step);
                System.out.flush();
                Runtime.getRuntime().halt(HALTED);
              }
            })
        .run();
  }
}
