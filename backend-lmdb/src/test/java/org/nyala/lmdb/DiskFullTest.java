package org.nyala.lmdb;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.backend.StoreUnavailableException;
import org.nyala.core.backend.WriteTransaction;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.Entry;
import org.nyala.lmdb.admin.StoreVerifier;
import org.nyala.lmdb.admin.Verification;

/**
 * Makes the operating system refuse to write, in a process whose files may not grow beyond a size:
 * to LMDB that is the same as a full disk.
 */
@Timeout(300)
class DiskFullTest {
  @TempDir Path directory;

  @Test
  void shouldLoseNothingAndGoOnReadingAndDeletingWhenNothingCanBeWritten() throws Exception {
    List<String> java = new ArrayList<>();
    java.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    java.addAll(
        List.of(
            "-Xmx128m",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "--add-opens=java.base/java.nio=ALL-UNNAMED",
            "--add-exports=java.base/sun.nio.ch=ALL-UNNAMED",
            "--enable-native-access=ALL-UNNAMED",
            "--sun-misc-unsafe-memory-access=allow"));
    List<String> command = new ArrayList<>();
    // In blocks of 512 bytes or of 1024, depending on the shell: 2 or 4 MiB.
    command.addAll(List.of("sh", "-c", "ulimit -f 4096; exec \"$@\"", "sh"));
    command.addAll(java);
    command.addAll(
        List.of(
            "-cp",
            System.getProperty("java.class.path"),
            DiskFullTest.class.getName(),
            directory.toString()));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(output).isZero();
    assertThat(output).contains("refused: the data file may not grow further");
    assertThat(output).contains("done");
    StoreVerifier.Report report = Verification.verify(directory, TestStore.SCHEMA, 5);
    assertThat(report.problems()).isEmpty();
    assertThat(report.entries()).isEqualTo(101);
  }

  private static Dn name(int number) {
    return TestStore.dn("cn=" + number + "," + TestStore.SUFFIX);
  }

  /** The process that cannot write. */
  public static void main(String[] arguments) {
    Path store = Path.of(arguments[0]);
    TestStore.create(store);
    try (LmdbBackend backend = LmdbBackend.open(store, TestStore.SCHEMA, TestStore.SETTINGS)) {
      add(backend, TestStore.dn(TestStore.SUFFIX));
      int count = fill(backend);
      for (int number = 0; number < count; number++) {
        try (ReadTransaction read = backend.beginRead()) {
          assertThat(read.find(name(number))).isPositive();
        }
        try (WriteTransaction write = backend.beginWrite()) {
          write.apply(new ResolvedChange.Delete(name(number), write.find(name(number))));
          write.commit();
        }
      }
      for (int number = 0; number < 100; number++) {
        add(backend, name(number));
      }
      System.out.println("done");
    }
  }

  private static int fill(LmdbBackend backend) {
    int refused = 0;
    int count = 0;
    while (refused < 3) {
      assertThat(count).isLessThan(50_000);
      try {
        add(backend, name(count));
        count++;
      } catch (StoreUnavailableException e) {
        System.out.println("refused: " + e.getMessage());
        refused++;
      }
    }
    return count;
  }

  private static void add(LmdbBackend backend, Dn dn) {
    Entry entry = new Entry(dn);
    TestStore.add(entry, "description", "d".repeat(3000));
    try (WriteTransaction write = backend.beginWrite()) {
      write.apply(new ResolvedChange.Add(entry));
      write.commit();
    }
  }
}
