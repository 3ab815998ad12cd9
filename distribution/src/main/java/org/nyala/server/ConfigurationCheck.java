package org.nyala.server;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.nyala.config.AccountConfiguration;
import org.nyala.config.ImportConfiguration;
import org.nyala.config.IntegrityRules;
import org.nyala.config.NyalaConfig;
import org.nyala.core.schema.Schema;
import org.nyala.error.ConfigurationException;
import org.nyala.error.Installation;
import org.nyala.lmdb.LmdbBackend;
import org.nyala.lmdb.format.IndexDefinition;

/** Looks whether a server could start with a configuration, without starting one. */
public final class ConfigurationCheck {
  private ConfigurationCheck() {}

  /**
   * Looks at everything in a configuration that names something else: entries, attributes, indexes.
   * Where the data directory has data, that is what they are looked up in, which may be done beside
   * a running server; else what an import would make.
   *
   * @return whether there was data to look into
   * @throws ConfigurationException when a server would refuse it
   */
  public static boolean run(NyalaConfig configuration, Installation installation)
      throws IOException {
    Schema schema = configuration.schema(installation);
    if (!configuration.hasData()) {
      check(configuration, schema, ImportConfiguration.settings(configuration, schema).indexes());
      return false;
    }
    try (LmdbBackend backend =
        LmdbBackend.open(configuration.data(), schema, configuration.store().asReadOnly())) {
      check(configuration, backend.extendedSchema().schema(), backend.indexes());
      if (!configuration.suffixes().isEmpty()) {
        StoreFactory.requireAll(
            backend, ImportConfiguration.suffixes(configuration, schema), configuration);
      }
    }
    return true;
  }

  /**
   * Looks at what names something else.
   *
   * @param indexes those of the data, or that it will have
   * @throws ConfigurationException when a server would refuse it
   */
  static void check(NyalaConfig configuration, Schema schema, List<IndexDefinition> indexes) {
    AccountConfiguration.root(configuration, schema);
    AccountConfiguration.access(configuration, schema);
    ImportConfiguration.settings(configuration, schema);
    IntegrityRules.of(configuration, schema, Optional.of(indexes));
  }
}
