package org.nyala.lmdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.Seeds;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.backend.WriteTransaction;
import org.nyala.core.entry.Entry;
import org.nyala.lmdb.admin.Verification;
import org.nyala.lmdb.env.DamagedStoreException;
import org.nyala.lmdb.env.LmdbEnvironment;

/** Opens data files whose end is missing. Reading beyond it would end the process. */
class CutDataTest {
  private static final int PAGE = 4096;

  @TempDir Path folder;

  private Path file() {
    return folder.resolve(LmdbEnvironment.DATA_FILE);
  }

  private void cut(long bytes) throws IOException {
    try (FileChannel channel = FileChannel.open(file(), StandardOpenOption.WRITE)) {
      channel.truncate(bytes);
    }
  }

  private void assertRefused() {
    assertThatThrownBy(() -> LmdbBackend.open(folder, TestStore.SCHEMA, TestStore.SETTINGS).close())
        .isInstanceOf(DamagedStoreException.class)
        .hasMessageContaining("data.mdb was cut: ")
        .hasMessageContaining("restore a backup");
    assertThatThrownBy(
            () ->
                LmdbBackend.open(folder, TestStore.SCHEMA, TestStore.SETTINGS.asReadOnly()).close())
        .isInstanceOf(DamagedStoreException.class);
    assertThatThrownBy(() -> LmdbEnvironment.openBare(folder).close())
        .isInstanceOf(DamagedStoreException.class);
  }

  @Test
  void shouldRefuseAFileWithoutPagesThatItRefersTo() throws Exception {
    long seed = Seeds.seed();
    Random random = new Random(seed);
    TestStore.random(folder, random, 300);
    Path whole = Files.copy(file(), folder.resolve("whole"));
    long length = Files.size(whole);
    int sound = 0;
    for (int i = 0; i < 60; i++) {
      // Cuts of a few bytes and pages too.
      long cut = 1 + (long) (Math.pow(random.nextDouble(), 4) * (length - 2));
      cut(length - cut);
      try {
        LmdbBackend.open(folder, TestStore.SCHEMA, TestStore.SETTINGS.asReadOnly()).close();
        assertThat(Verification.verify(folder, TestStore.SCHEMA, 5).problems())
            .as("seed %d, cut %d", seed, cut)
            .isEmpty();
        sound++;
      } catch (DamagedStoreException _) {
        assertRefused();
      }
      Files.copy(whole, file(), StandardCopyOption.REPLACE_EXISTING);
    }
    System.out.printf("%d of 60 cut files were whole, seed %d%n", sound, seed);
    cut(PAGE + 1);
    assertRefused();
    cut(100);
    assertRefused();
  }

  /** LMDB does not write pages that a transaction has taken and given back. */
  @Test
  void shouldOpenAFileWithoutPagesThatAreFree() throws Exception {
    TestStore.create(folder);
    try (LmdbBackend backend = LmdbBackend.open(folder, TestStore.SCHEMA, TestStore.SETTINGS)) {
      write(backend, new ResolvedChange.Add(new Entry(TestStore.dn(TestStore.SUFFIX))));
    }
    // Changes take the first pages that are free, so that now and then the last ones are.
    boolean isFree = false;
    for (int i = 0; i < 100 && !isFree; i++) {
      try (LmdbBackend backend = LmdbBackend.open(folder, TestStore.SCHEMA, TestStore.SETTINGS)) {
        Entry small = new Entry(TestStore.dn("cn=small" + i + "," + TestStore.SUFFIX));
        write(backend, new ResolvedChange.Add(small));
      }
      Path whole = Files.copy(file(), folder.resolve("whole" + i));
      cut(Files.size(whole) - 3 * PAGE);
      isFree = isOpened();
      if (!isFree) {
        Files.move(whole, file(), StandardCopyOption.REPLACE_EXISTING);
      }
    }
    assertThat(isFree).isTrue();
    assertThat(Verification.verify(folder, TestStore.SCHEMA, 5).problems()).isEmpty();
    try (LmdbBackend backend = LmdbBackend.open(folder, TestStore.SCHEMA, TestStore.SETTINGS)) {
      Entry last = new Entry(TestStore.dn("cn=last," + TestStore.SUFFIX));
      TestStore.add(last, "description", "d".repeat(40 * PAGE));
      write(backend, new ResolvedChange.Add(last));
    }
    assertThat(Verification.verify(folder, TestStore.SCHEMA, 5).problems()).isEmpty();
  }

  private boolean isOpened() {
    try {
      LmdbBackend.open(folder, TestStore.SCHEMA, TestStore.SETTINGS).close();
      return true;
    } catch (DamagedStoreException _) {
      return false;
    }
  }

  private static void write(LmdbBackend backend, ResolvedChange change) {
    try (WriteTransaction write = backend.beginWrite()) {
      write.apply(change);
      write.commit();
    }
  }
}
