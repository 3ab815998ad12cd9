package org.nyala.lmdb.admin;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.Seeds;
import org.nyala.lmdb.OtherProcess;
import org.nyala.lmdb.TestStore;

/** Backups that are given up while LMDB copies, in processes of their own. */
@Timeout(300)
class AbandonedBackupTest {
  @TempDir Path folder;

  @Test
  void shouldEndTheProcessInOrderAndLeaveNoFiles() throws Exception {
    Path data = folder.resolve("data");
    TestStore.random(data, new Random(Seeds.seed()), 2000);
    Path target = folder.resolve("backup");
    Process process =
        OtherProcess.start(AbandonedBackupTest.class, data.toString(), target.toString());
    try (BufferedReader output = process.inputReader()) {
      String last = output.readLine();
      assertThat(last).startsWith("given up: ");
      assertThat(output.readLine()).isNull();
      target = Path.of(last.substring("given up: ".length()));
    }
    assertThat(process.waitFor()).isEqualTo(1);
    assertThat(target).doesNotExist();
    assertThat(Verification.verify(data, TestStore.SCHEMA, 5).problems()).isEmpty();
  }

  /** The process that gives up as soon as a copy has begun; some are complete before that. */
  public static void main(String[] arguments) {
    for (int attempt = 0; attempt < 100; attempt++) {
      Path target = Path.of(arguments[1] + attempt);
      try {
        StoreBackup.write(
            Path.of(arguments[0]),
            TestStore.SETTINGS,
            target,
            "nyala test",
            InstantSource.system(),
            (phase, _, _) -> {
              if (phase == CopyProgress.Phase.COPYING) {
                throw new IllegalStateException("given up");
              }
            });
      } catch (IllegalStateException e) {
        System.out.println(e.getMessage() + ": " + target);
        System.out.flush();
        System.exit(1);
      }
    }
  }
}
