package org.nyala.server;

import java.io.IOException;
import java.util.List;
import org.nyala.config.ImportConfiguration;
import org.nyala.config.NyalaConfig;
import org.nyala.core.dn.Dn;
import org.nyala.core.schema.Schema;
import org.nyala.error.ConfigurationException;
import org.nyala.error.ErrorMessages;
import org.nyala.lmdb.LmdbBackend;
import org.nyala.lmdb.env.StagedDirectory;
import org.nyala.lmdb.env.StoreException;
import org.nyala.lmdb.ldif.ImportSettings;

/** Opens the store of a server, with the configured naming contexts. */
final class StoreFactory {
  private static final System.Logger LOG = System.getLogger(StoreFactory.class.getName());
  private static final String KEY = "nyala.suffixes";

  private StoreFactory() {}

  /**
   * Opens the store of the data directory. If there is none and suffixes are configured, creates
   * one without entries; adds configured naming contexts that are missing.
   *
   * @throws ConfigurationException if the store has a naming context that is not configured, while
   *     others are
   */
  static LmdbBackend open(NyalaConfig configuration, Schema schema) {
    List<Dn> wanted = ImportConfiguration.suffixes(configuration, schema);
    if (!wanted.isEmpty() && !configuration.hasData()) {
      ImportSettings settings = ImportConfiguration.settings(configuration, schema);
      LmdbBackend.create(
          configuration.data(),
          schema,
          configuration.suffixes(),
          settings.indexes(),
          configuration.store());
    }
    LmdbBackend backend = LmdbBackend.open(configuration.data(), schema, configuration.store());
    boolean agreed = false;
    try {
      backend.requireDefinedClasses();
      deleteRemains(backend);
      if (!wanted.isEmpty()) {
        agree(backend, wanted, configuration);
      }
      backend.noteDefinitions();
      agreed = true;
      return backend;
    } finally {
      if (!agreed) {
        backend.close();
      }
    }
  }

  /** Deletes what a killed import, restore or compaction has left beside the data. */
  private static void deleteRemains(LmdbBackend backend) {
    try {
      StagedDirectory.clean(backend.environment());
    } catch (IOException e) {
      LOG.log(System.Logger.Level.WARNING, "remains of interrupted work stay: {0}", e.toString());
    }
  }

  private static void agree(LmdbBackend backend, List<Dn> wanted, NyalaConfig configuration) {
    requireAll(backend, wanted, configuration);
    try {
      backend.addNamingContexts(configuration.suffixes());
    } catch (StoreException e) {
      throw configuration.problem(KEY, ErrorMessages.line(e));
    }
  }

  /**
   * Rejects a list of naming contexts that omits one of the store's.
   *
   * @throws ConfigurationException naming it
   */
  static void requireAll(LmdbBackend backend, List<Dn> wanted, NyalaConfig configuration) {
    for (Dn stored : backend.namingContexts()) {
      if (!wanted.contains(stored)) {
        throw configuration.problem(
            KEY,
            configuration.data()
                + " holds the naming context '"
                + stored
                + "', which is not among them: add it there, or serve another data directory");
      }
    }
  }
}
