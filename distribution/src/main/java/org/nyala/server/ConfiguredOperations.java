package org.nyala.server;

import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.nyala.accounts.PolicedAccounts;
import org.nyala.config.AccountConfiguration;
import org.nyala.config.NeededIndexes;
import org.nyala.config.NyalaConfig;
import org.nyala.config.RootConfiguration;
import org.nyala.core.access.enforce.RulesService;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.directory.UpdateSettings;
import org.nyala.core.operation.DirectoryOperations;
import org.nyala.core.schema.Schema;
import org.nyala.core.update.ConsumedContexts;
import org.nyala.error.ConfigurationException;
import org.nyala.extension.Extension;
import org.nyala.lmdb.LmdbBackend;
import org.nyala.service.ThreadScheduling;
import org.nyala.service.WriterPace;

/** Creates the operations of a directory from the configuration. Stateless. */
final class ConfiguredOperations {
  private ConfiguredOperations() {}

  /**
   * Creates the operations of a store.
   *
   * @param schema that of the store
   * @param consumed the naming contexts that other servers change
   * @throws ConfigurationException if the configuration does not match the schema or the indexes
   */
  static DirectoryOperations of(
      SharedComponents shared, LmdbBackend backend, Schema schema, ConsumedContexts consumed) {
    NyalaConfig configuration = shared.configuration();
    NeededIndexes.check(configuration, schema, Optional.of(backend.indexes()));
    ServerExtensions.check(configuration, schema);
    UpdateSettings updates = updates(shared, consumed);
    List<Extension> extensions =
        ServerExtensions.of(
            configuration,
            () -> Optional.of(backend.indexes()),
            shared.monitor(),
            shared.logs(),
            AccountConfiguration.logs(configuration, schema, backend.namingContexts()));
    Backend store = backend;
    for (Extension each : extensions) {
      store = each.store(store, schema, configuration.data());
    }
    requireFollowed(configuration, store);
    return new DirectoryOperations(
        schema,
        List.of(store),
        AccountConfiguration.access(configuration, schema),
        configuration.limits(),
        RootConfiguration.of(configuration, schema, backend.namingContexts()),
        shared.nanoClock(),
        updates,
        extensions,
        !configuration.wire().tls().certificates().isEmpty(),
        new RulesService(),
        new PolicedAccounts(updates, shared.nanoClock()));
  }

  /** Refuses data of a member of a cluster that would be changed without its log. */
  private static void requireFollowed(NyalaConfig configuration, Backend store) {
    try (ReadTransaction transaction = store.beginRead()) {
      if (!store.isReplicated() && transaction.logMark() != null) {
        throw configuration.problem(
            "nyala.cluster",
            "expected the address of this server, whose data are a member's: for a server of its"
                + " own export them, and import them there");
      }
    }
  }

  private static UpdateSettings updates(SharedComponents shared, ConsumedContexts consumed) {
    NyalaConfig configuration = shared.configuration();
    NyalaConfig.Updates updates = configuration.updates();
    if (updates.hashBounds().ofNew().exceedsMemory(updates.passwordScheme())) {
      throw configuration.problem(
          "nyala.password.argon2Kibibytes", "new hashes take more than a quarter of the heap");
    }
    return new UpdateSettings(
        updates.readOnly(),
        updates.serverId(),
        InstantSource.system(),
        UUID::randomUUID,
        ThreadScheduling.nice(
            configuration.dispatch().writer().niceness(),
            ThreadScheduling.batch(
                Thread.ofPlatform().daemon().name("nyala-writer-", 1).factory())),
        updates.passwordScheme(),
        updates.hashBounds(),
        updates.hashesClearText(),
        updates.upgradesAtBind(),
        updates.remembered(),
        new SecureRandom(),
        WriterPace.of(
            configuration.dispatch().writer().sharePercent(),
            configuration.dispatch().writer().restMillis(),
            Runtime.getRuntime().availableProcessors(),
            shared.metrics().operationsCompleted()::sum,
            shared.nanoClock()),
        shared.contention(),
        consumed);
  }
}
