package org.nyala.config;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.dn.InvalidDnException;
import org.nyala.core.schema.Schema;
import org.nyala.error.CommandException;
import org.nyala.error.ConfigurationException;
import org.nyala.error.ErrorMessages;
import org.nyala.lmdb.format.IndexDefinition;
import org.nyala.lmdb.ldif.EntryBounds;
import org.nyala.lmdb.ldif.ImportSettings;

/** Turns the configuration into settings of imports. */
public final class ImportConfiguration {
  private static final String SUFFIXES = "nyala.suffixes";

  private ImportConfiguration() {}

  /**
   * Returns the settings of an import.
   *
   * @throws ConfigurationException if a configured index or suffix is invalid
   */
  public static ImportSettings settings(NyalaConfig configuration, Schema schema) {
    ImportSettings settings =
        ImportSettings.defaults(schema)
            .with(draft -> draft.lmdb = configuration.store())
            .with(
                draft ->
                    draft.bounds =
                        EntryBounds.of(
                            configuration.limits(), configuration.updates().hashBounds()))
            .with(draft -> draft.suffixes = suffixes(configuration, schema));
    if (configuration.root().isPresent()) {
      settings = settings.with(draft -> draft.writerName = configuration.root().get().dn());
    }
    return configuration.indexes().isEmpty()
        ? settings
        : settings.with(
            draft ->
                draft.indexes =
                    indexes(configuration.indexes().get(), configuration.settings(), schema));
  }

  /**
   * Returns the configured suffixes.
   *
   * @throws ConfigurationException if one is no DN
   */
  public static List<Dn> suffixes(NyalaConfig configuration, Schema schema) {
    return configuration.suffixes().stream()
        .map(suffix -> configuration.dn(schema, SUFFIXES, suffix))
        .toList();
  }

  /**
   * Parses suffixes of the command line.
   *
   * @param origin the option, for the message
   * @throws CommandException if one is no DN
   */
  public static List<Dn> suffixes(String origin, List<String> suffixes, Schema schema) {
    List<Dn> dns = new ArrayList<>();
    for (String suffix : suffixes) {
      try {
        dns.add(DnParser.parse(schema, suffix));
      } catch (InvalidDnException e) {
        throw CommandException.usage(origin + " '" + suffix + "': " + ErrorMessages.line(e));
      }
    }
    return dns;
  }

  /**
   * Returns the definitions of configured indexes.
   *
   * @throws ConfigurationException if one is invalid
   */
  public static List<IndexDefinition> indexes(
      Map<String, List<String>> configured, Settings settings, Schema schema) {
    List<IndexDefinition> definitions = new ArrayList<>();
    configured.forEach(
        (attribute, kinds) -> {
          try {
            IndexDefinition definition =
                IndexDefinition.parse(schema, attribute, String.join(",", kinds));
            if (ComputedIndexes.isComputed(schema, definition)) {
              throw new IllegalArgumentException(ComputedIndexes.reason(definition));
            }
            definitions.add(definition);
          } catch (IllegalArgumentException e) {
            throw settings.problem("nyala.indexes." + attribute, ErrorMessages.line(e));
          }
        });
    return definitions;
  }
}
