package org.nyala.server;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.nyala.config.AccountConfiguration;
import org.nyala.config.ImportConfiguration;
import org.nyala.config.NeededIndexes;
import org.nyala.config.NyalaConfig;
import org.nyala.config.RootConfiguration;
import org.nyala.core.directory.RootAccounts;
import org.nyala.core.dispatch.DispatchStrategies;
import org.nyala.core.dn.Dn;
import org.nyala.core.operation.sync.ModificationLogs;
import org.nyala.core.schema.Schema;
import org.nyala.error.CommandException;
import org.nyala.error.ConfigurationException;
import org.nyala.error.ErrorMessages;
import org.nyala.error.Installation;
import org.nyala.lmdb.LmdbBackend;
import org.nyala.lmdb.env.StoreException;
import org.nyala.lmdb.format.IndexDefinition;
import org.nyala.netty.tls.TlsFileException;
import org.nyala.netty.tls.TlsPort;
import org.nyala.service.DataMarker;
import org.nyala.service.WritableDataCheck;

/** Checks whether a server could start with a configuration, without starting one. */
public final class ConfigurationCheck {
  private ConfigurationCheck() {}

  /**
   * Checks all parts of a configuration that refer to other objects: entries, attributes, indexes.
   * If the data directory has data, they are looked up there, which is possible beside a running
   * server; otherwise in the data that an import would create.
   *
   * @param notes receives a line for each shipped schema file or definition that is replaced, and
   *     for each extension that is configured
   * @return whether there was data to check
   * @throws ConfigurationException if a server would reject it
   */
  public static boolean run(
      NyalaConfig configuration, Installation installation, Consumer<String> notes)
      throws IOException {
    Schema schema = configuration.schema(installation, note -> notes.accept("schema: " + note));
    ConfiguredKerberos.takeOver(configuration).close();
    if (!configuration.hasData()) {
      List<IndexDefinition> indexes = ImportConfiguration.settings(configuration, schema).indexes();
      List<Dn> contexts = ImportConfiguration.suffixes(configuration, schema);
      check(configuration, schema, indexes, contexts);
      ModificationLogs _ = AccountConfiguration.logs(configuration, schema, contexts);
      ConfiguredReplication _ = ConfiguredReplication.of(configuration, contexts, indexes, schema);
      tellExtensions(configuration, schema, notes);
      return false;
    }
    try (LmdbBackend backend =
        LmdbBackend.open(configuration.data(), schema, configuration.store().asReadOnly())) {
      tellExtensions(configuration, checkStart(configuration, schema, backend), notes);
    }
    return true;
  }

  private static void tellExtensions(
      NyalaConfig configuration, Schema schema, Consumer<String> notes) {
    ServerExtensions.configured(configuration, schema)
        .forEach(line -> notes.accept("extension: " + line));
  }

  /** Returns what a sound configuration has that is without effect, a line each. */
  public static List<String> withoutEffect(NyalaConfig configuration) {
    String strategy = configuration.dispatch().strategy();
    return DispatchStrategies.measuresAllocation(strategy)
        ? List.of()
        : List.of(
            "without effect: limits.memory.operationMebibytes, as the JVM does not count what the"
                + " threads of "
                + strategy
                + " allocate");
  }

  /**
   * Checks what a start takes besides a sound configuration: the certificates, and a data directory
   * that has data or may get some.
   *
   * @param file the configuration file; nothing if there is none
   * @throws ConfigurationException if a certificate cannot be used
   * @throws CommandException if a start would find no data, or could not write to it
   */
  public static void surroundings(Optional<Path> file, NyalaConfig configuration) {
    try {
      TlsPort.check(configuration.wire().tls());
    } catch (TlsFileException e) {
      throw ConfigurationException.of("nyala.tls", String.valueOf(e.getMessage()));
    }
    ManagementAccess.checkTls(configuration);
    requireStartable(file, configuration);
  }

  /**
   * Refuses a start that would find no data, or could not write to it.
   *
   * @param file the configuration file; nothing if there is none
   * @throws CommandException if that is so
   */
  public static void requireStartable(Optional<Path> file, NyalaConfig configuration) {
    configuration.requireServable();
    DataMarker.requireNone(file, configuration);
    WritableDataCheck.require(configuration);
  }

  /**
   * Checks whether a start with the data of a store would accept a configuration.
   *
   * @param files the schema of the files
   * @return the schema that the server would have
   * @throws ConfigurationException if it would reject it
   * @throws StoreException if the data does not suit the files
   */
  static Schema checkStart(NyalaConfig configuration, Schema files, LmdbBackend backend) {
    Schema stored = backend.openedWith(files).schema();
    List<Dn> contexts = backend.namingContexts();
    check(configuration, stored, backend.indexes(), contexts);
    ModificationLogs _ = AccountConfiguration.logs(configuration, stored, contexts);
    if (!configuration.suffixes().isEmpty()) {
      StoreFactory.requireAll(
          backend, ImportConfiguration.suffixes(configuration, files), configuration);
    }
    ConfiguredReplication _ =
        ConfiguredReplication.of(configuration, contexts, backend.indexes(), stored);
    return stored;
  }

  /**
   * Returns all mistakes of a configuration for data that an import would create, a line each; of
   * indexes that are missing only the import's report tells.
   *
   * @param schema the schema with what clients have added
   */
  public static List<String> mistakes(NyalaConfig configuration, Schema schema) {
    List<String> mistakes = new ArrayList<>();
    note(mistakes, () -> ConfiguredKerberos.takeOver(configuration).close());
    note(
        mistakes,
        () -> {
          List<Dn> contexts = ImportConfiguration.suffixes(configuration, schema);
          RootAccounts _ = RootConfiguration.of(configuration, schema, contexts);
        });
    note(mistakes, () -> AccountConfiguration.access(configuration, schema));
    note(mistakes, () -> ImportConfiguration.settings(configuration, schema));
    note(mistakes, () -> NeededIndexes.check(configuration, schema, Optional.empty()));
    note(mistakes, () -> ServerExtensions.check(configuration, schema));
    note(
        mistakes,
        () -> {
          List<Dn> contexts = ImportConfiguration.suffixes(configuration, schema);
          ModificationLogs _ = AccountConfiguration.logs(configuration, schema, contexts);
          ConfiguredReplication _ =
              ConfiguredReplication.of(
                  configuration,
                  contexts,
                  ImportConfiguration.settings(configuration, schema).indexes(),
                  schema);
        });
    return mistakes.stream().distinct().toList();
  }

  private static void note(List<String> mistakes, Runnable check) {
    try {
      check.run();
    } catch (ConfigurationException | CommandException | StoreException e) {
      mistakes.add(ErrorMessages.line(e));
    }
  }

  /**
   * Checks the references of a configuration.
   *
   * @param indexes those of the data, or that it will have
   * @param contexts its naming contexts
   * @throws ConfigurationException if a server would reject it
   */
  static void check(
      NyalaConfig configuration, Schema schema, List<IndexDefinition> indexes, List<Dn> contexts) {
    RootAccounts _ = RootConfiguration.of(configuration, schema, contexts);
    AccountConfiguration.access(configuration, schema);
    ImportConfiguration.settings(configuration, schema);
    NeededIndexes.check(configuration, schema, Optional.of(indexes));
    ServerExtensions.check(configuration, schema);
  }
}
