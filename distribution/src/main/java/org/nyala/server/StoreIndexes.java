package org.nyala.server;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.nyala.config.ImportConfiguration;
import org.nyala.config.NeededIndexes;
import org.nyala.config.NyalaConfig;
import org.nyala.core.schema.Schema;
import org.nyala.lmdb.LmdbBackend;
import org.nyala.lmdb.format.IndexDefinition;
import org.nyala.lmdb.format.IndexProgress;

/** The work of a starting server on the indexes of its store. Stateless. */
public final class StoreIndexes {
  private static final System.Logger LOG = System.getLogger(StoreIndexes.class.getName());

  private StoreIndexes() {}

  /**
   * Goes on with work on indexes that was interrupted, accepts requests for more, and logs where
   * the configuration asks for other indexes than there are. Nothing is built that was not asked
   * for: it takes time and space.
   */
  static IndexRequests start(
      LmdbBackend backend, NyalaConfig configuration, Schema schema, LongSupplier nanoClock) {
    List<IndexProgress> work = backend.indexProgress();
    if (!work.isEmpty()) {
      LOG.log(System.Logger.Level.INFO, "work on indexes goes on: {0}", IndexChange.text(work));
    }
    List<IndexDefinition> missing = missing(configuration, schema, backend.indexes());
    if (!missing.isEmpty()) {
      LOG.log(
          System.Logger.Level.WARNING,
          "the data directory is not indexed as nyala.indexes says; differing: {0}"
              + " (see: nyala index list, nyala index add)",
          IndexChange.definitions(missing));
    }
    return IndexRequests.start(backend, configuration, nanoClock);
  }

  /**
   * Returns the indexes that the configuration asks for and a store does not have so.
   *
   * @param built those of the store
   */
  public static List<IndexDefinition> missing(
      NyalaConfig configuration, Schema schema, List<IndexDefinition> built) {
    List<IndexDefinition> missing = configured(configuration, schema);
    missing.removeAll(built);
    // The shipped file names memberOf, which is indexed in vain where it is computed.
    missing.removeIf(index -> NeededIndexes.computes(configuration, index.type()));
    return missing;
  }

  /** Returns the indexes that the configuration names. */
  public static List<IndexDefinition> configured(NyalaConfig configuration, Schema schema) {
    Map<String, List<String>> names = configuration.indexes().orElse(Map.of());
    return new ArrayList<>(ImportConfiguration.indexes(names, configuration.settings(), schema));
  }
}
