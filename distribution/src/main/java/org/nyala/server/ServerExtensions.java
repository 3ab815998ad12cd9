package org.nyala.server;

import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.nyala.config.ConfiguredExtension;
import org.nyala.config.NeededIndexes;
import org.nyala.config.NyalaConfig;
import org.nyala.config.OfferedExtension;
import org.nyala.core.filter.Membership;
import org.nyala.core.message.OperationType;
import org.nyala.core.operation.DirectoryOperations;
import org.nyala.core.operation.dereference.Dereferencing;
import org.nyala.core.operation.sync.ContentSynchronization;
import org.nyala.core.operation.sync.ModificationLogs;
import org.nyala.core.schema.Schema;
import org.nyala.core.update.ChangeListener;
import org.nyala.dynamic.DynamicEntries;
import org.nyala.error.ConfigurationException;
import org.nyala.error.ErrorMessages;
import org.nyala.error.Installation;
import org.nyala.extension.Extension;
import org.nyala.extension.Extensions;
import org.nyala.extension.Hooks;
import org.nyala.integrity.IntegrityRules;
import org.nyala.lmdb.format.IndexDefinition;
import org.nyala.management.MonitorTree;

/** The extensions that a configuration makes a server have. Stateless. */
public final class ServerExtensions {
  private static final String NOTHING = "nothing";

  private ServerExtensions() {}

  /**
   * Returns the extensions beside those that every directory has.
   *
   * @param indexes those of the store at each moment; nothing if they do not matter
   * @param monitor shows the state of the server
   * @param audit receives the changes for the audit log
   * @param logs the logs of modifications
   * @throws ConfigurationException if one cannot be opened; all others are closed then
   */
  static List<Extension> of(
      NyalaConfig configuration,
      Supplier<Optional<List<IndexDefinition>>> indexes,
      MonitorTree monitor,
      ChangeListener audit,
      ModificationLogs logs) {
    List<Extension> all = new ArrayList<>();
    all.add(monitor);
    all.add(ServerLogs.auditing(audit));
    all.add(new ContentSynchronization(logs));
    all.add(new Dereferencing());
    NyalaConfig.Updates updates = configuration.updates();
    all.add(DynamicEntries.sweeping(updates.readOnly() ? Optional.empty() : updates.dynamic()));
    all.addAll(
        IntegrityRules.extensions(
            configuration.updates().integrity(),
            schema -> NeededIndexes.rules(configuration, schema, indexes.get())));
    try {
      configuration.extensions().forEach(each -> all.add(each.open()));
    } catch (IllegalArgumentException e) {
      all.forEach(Extension::close);
      throw mistake(e);
    }
    return all;
  }

  private static ConfigurationException mistake(IllegalArgumentException e) {
    return e.getCause() instanceof ConfigurationException cause
        ? cause
        : ConfigurationException.of("nyala", ErrorMessages.line(e));
  }

  /**
   * Checks the extensions of a configuration by a schema, and their order, as a start does.
   *
   * @throws ConfigurationException if one fails, the schema lacks what it names, or two of them do
   *     not fit together
   */
  static void check(NyalaConfig configuration, Schema schema) {
    List<String> _ = lines(configuration, schema, _ -> false);
  }

  /**
   * Returns the extensions that a start would have, a line each, in the order in which a request
   * meets them, then those that are not configured.
   *
   * @param schema the schema by which they are asked what they do
   * @throws ConfigurationException as {@link #check}
   */
  public static List<String> lines(NyalaConfig configuration, Schema schema) {
    List<String> lines = lines(configuration, schema, _ -> true);
    List<OfferedExtension> offered =
        new ArrayList<>(OfferedExtension.in(Installation.current().base()));
    configuration.extensions().forEach(each -> offered.remove(each.offered()));
    offered.forEach(each -> lines.add(text(each) + ": not configured"));
    return lines;
  }

  /**
   * Checks the extensions of a configuration, and returns a line for each that has an object there,
   * in the order in which a request meets them.
   *
   * @throws ConfigurationException as {@link #check}
   */
  static List<String> configured(NyalaConfig configuration, Schema schema) {
    return lines(configuration, schema, each -> offered(configuration, each).isPresent());
  }

  /** Opens the extensions, asks them for what a start asks them for, and closes them. */
  private static List<String> lines(
      NyalaConfig configuration, Schema schema, Predicate<Extension> shown) {
    List<Extension> further =
        of(
            configuration,
            Optional::empty,
            new MonitorTree(InstantSource.system(), ""),
            _ -> {},
            ModificationLogs.NONE);
    try {
      Extensions ordered = DirectoryOperations.ordered(further);
      Membership _ = ordered.membership(schema);
      // Those of every directory need all of one: they are left out here, and have no such hooks.
      Extensions.Resolved _ =
          Extensions.of(further).resolve(ConfiguredExtension.directory(schema, configuration));
      List<ChangeListener> _ = ordered.listeners();
      List<String> lines = new ArrayList<>();
      for (Extension each : ordered.all()) {
        if (shown.test(each)) {
          String name =
              offered(configuration, each).map(ServerExtensions::text).orElse(each.name());
          boolean isOwn = !further.contains(each);
          lines.add(
              name
                  + ": "
                  + (isOwn ? "part of every directory" : work(configuration, each, schema)));
        }
      }
      return lines;
    } catch (IllegalArgumentException e) {
      throw mistake(e);
    } finally {
      further.forEach(Extension::close);
    }
  }

  private static Optional<OfferedExtension> offered(
      NyalaConfig configuration, Extension extension) {
    return configuration.extensions().stream()
        .map(ConfiguredExtension::offered)
        .filter(each -> each.name().equals(extension.name()))
        .findFirst();
  }

  private static String text(OfferedExtension offered) {
    return offered.name() + " " + offered.version() + " (" + offered.origin() + ")";
  }

  private static String work(NyalaConfig configuration, Extension extension, Schema schema) {
    boolean computes = extension.membership(schema) != null;
    Hooks hooks = extension.hooks(ConfiguredExtension.directory(schema, configuration));
    List<String> work = new ArrayList<>();
    if (!hooks.encloses().isEmpty()) {
      work.add(
          "encloses "
              + hooks.encloses().stream()
                  .sorted()
                  .map(OperationType::label)
                  .collect(Collectors.joining(", ")));
    }
    if (!hooks.searches().isEmpty()) {
      work.add("carries out searches");
    }
    if (hooks.entryControls() != null) {
      work.add("tells more with entries");
    }
    if (!hooks.rules().isEmpty()) {
      work.add("checks changes");
    }
    if (computes) {
      work.add("computes memberOf");
    }
    if (!extension.listeners().isEmpty()) {
      work.add("listens to commits");
    }
    return work.isEmpty() ? NOTHING : String.join("; ", work);
  }
}
