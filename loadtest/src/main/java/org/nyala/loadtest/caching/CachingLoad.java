package org.nyala.loadtest.caching;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.function.Consumer;
import org.nyala.core.schema.load.ExtendedSchema;
import org.nyala.lmdb.env.LargeThresholds;
import org.nyala.lmdb.env.StoreException;
import org.nyala.lmdb.ldif.ImportResult;
import org.nyala.lmdb.ldif.ImportSettings;
import org.nyala.lmdb.ldif.ImportSource;
import org.nyala.lmdb.ldif.LdifImport;

/**
 * Loads LDIF into a new caching store: parsed, checked, sorted and indexed by the import of Nyala.
 * All values stay in their entry's record. Stateless.
 */
final class CachingLoad {
  private static final LargeThresholds NOTHING_APART =
      new LargeThresholds(Integer.MAX_VALUE, Integer.MAX_VALUE);

  private CachingLoad() {}

  /**
   * Loads files, in their order; what a load that fails leaves is no complete store.
   *
   * @param folder a folder without a store; made if it is missing
   * @param cacheBytes the size of the cache of Berkeley DB
   * @param change other settings of the import
   * @throws StoreException with the reason, if it fails
   */
  static ImportResult run(
      ExtendedSchema schema,
      List<ImportSource> sources,
      Path folder,
      long cacheBytes,
      Consumer<ImportSettings.Draft> change) {
    ImportSettings settings =
        ImportSettings.defaults(schema.schema())
            .with(change)
            .with(draft -> draft.lmdb = draft.lmdb.with(store -> store.large = NOTHING_APART));
    try (JeStore store = JeStore.create(folder, cacheBytes);
        JeImportStore filled = new JeImportStore(store)) {
      Path temporary = Files.createTempDirectory(folder, "loading-");
      ImportResult result =
          new LdifImport(schema, settings, _ -> {}, InstantSource.system(), System::nanoTime)
              .run(sources, filled, temporary);
      Files.deleteIfExists(temporary);
      return result;
    } catch (IOException e) {
      throw new StoreException("the load failed: " + e.getMessage(), e);
    }
  }
}
