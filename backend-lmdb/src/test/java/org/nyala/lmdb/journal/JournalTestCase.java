package org.nyala.lmdb.journal;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.Seeds;
import org.nyala.lmdb.LmdbBackend;
import org.nyala.lmdb.TestStore;
import org.nyala.lmdb.admin.Verification;
import org.nyala.lmdb.env.LmdbSettings;

/** A store whose journal is looked at while a storm of changes passes over it. */
abstract class JournalTestCase {
  static final LmdbSettings SETTINGS =
      TestStore.SETTINGS.with(draft -> draft.durability = LmdbSettings.Durability.NONE);

  @TempDir Path folder;

  final long seed = Seeds.seed();

  final Path data() {
    return folder.resolve("data");
  }

  /** Creates the top of the store. */
  abstract void begin(LmdbBackend backend);

  final LmdbBackend create(LmdbSettings settings) {
    TestStore.create(data());
    LmdbBackend backend = LmdbBackend.open(data(), TestStore.SCHEMA, settings);
    begin(backend);
    return backend;
  }

  final LmdbBackend reopen(LmdbBackend backend, LmdbSettings settings) {
    backend.close();
    return LmdbBackend.open(data(), TestStore.SCHEMA, settings);
  }

  final void assertSound() {
    assertThat(Verification.verify(data(), TestStore.SCHEMA, 10).problems())
        .as("seed %d", seed)
        .isEmpty();
  }
}
