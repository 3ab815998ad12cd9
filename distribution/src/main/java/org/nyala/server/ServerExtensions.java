package org.nyala.server;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.nyala.config.ConfiguredExtension;
import org.nyala.config.IntegrityRules;
import org.nyala.config.NyalaConfig;
import org.nyala.config.OfferedExtension;
import org.nyala.core.message.OperationType;
import org.nyala.core.schema.Schema;
import org.nyala.error.ConfigurationException;
import org.nyala.error.Installation;
import org.nyala.extension.Extension;
import org.nyala.extension.Hooks;
import org.nyala.lmdb.format.IndexDefinition;

/** The extensions that a configuration makes a server have. Stateless. */
public final class ServerExtensions {
  private static final String NOTHING = "nothing";

  private ServerExtensions() {}

  /**
   * Returns the extensions beside those that every directory has.
   *
   * @param indexes those of the store; nothing if they do not matter
   * @param audit the extension of the audit log
   * @throws ConfigurationException if one cannot be opened, or their places contradict each other
   */
  static List<Extension> of(
      NyalaConfig configuration, Optional<List<IndexDefinition>> indexes, Extension audit) {
    List<Extension> all = new ArrayList<>();
    all.add(audit);
    all.addAll(IntegrityRules.extensions(configuration, indexes));
    configuration.extensions().forEach(each -> all.add(each.open()));
    return all;
  }

  /**
   * Returns the extensions that a start would have, a line each, in the order in which a request
   * meets them, then those that are not configured.
   *
   * @param schema the schema by which they are asked what they do
   * @throws ConfigurationException as the start
   */
  public static List<String> lines(NyalaConfig configuration, Schema schema) {
    List<Extension> further = of(configuration, Optional.empty(), ServerLogs.auditing(_ -> {}));
    List<OfferedExtension> offered =
        new ArrayList<>(OfferedExtension.in(Installation.current().base()));
    List<String> lines = new ArrayList<>();
    for (Extension each : ConfiguredExtension.order(further).all()) {
      OfferedExtension known =
          offered.stream().filter(one -> one.name().equals(each.name())).findFirst().orElse(null);
      lines.add(
          (known == null ? each.name() : text(known))
              + ": "
              + (further.contains(each)
                  ? work(configuration, each, schema)
                  : "part of every directory"));
      offered.remove(known);
    }
    further.forEach(Extension::close);
    offered.forEach(each -> lines.add(text(each) + ": not configured"));
    return lines;
  }

  private static String text(OfferedExtension offered) {
    return offered.name() + " " + offered.version() + " (" + offered.origin() + ")";
  }

  private static String work(NyalaConfig configuration, Extension extension, Schema schema) {
    Hooks hooks = ConfiguredExtension.hooks(extension, schema, configuration.limits());
    List<String> work = new ArrayList<>();
    if (!hooks.encloses().isEmpty()) {
      work.add(
          "encloses "
              + hooks.encloses().stream()
                  .sorted()
                  .map(OperationType::label)
                  .collect(Collectors.joining(", ")));
    }
    if (!hooks.rules().isEmpty()) {
      work.add("checks changes");
    }
    if (extension.membership(schema) != null) {
      work.add("computes memberOf");
    }
    if (!extension.listeners().isEmpty()) {
      work.add("listens to commits");
    }
    return work.isEmpty() ? NOTHING : String.join("; ", work);
  }
}
