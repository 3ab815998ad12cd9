package org.nyala.config;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.nyala.core.provider.AttributeProviders;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.Schema;
import org.nyala.error.ConfigurationException;
import org.nyala.integrity.IntegrityRules;
import org.nyala.lmdb.format.IndexDefinition;
import org.nyala.lmdb.format.IndexKind;

/** The indexes without which rules across entries would examine all of them. Stateless. */
public final class NeededIndexes {
  private NeededIndexes() {}

  /**
   * Returns the configured rules by a schema.
   *
   * @param indexes those of the store, or that it will have; nothing if they do not matter
   */
  public static IntegrityRules rules(
      NyalaConfig configuration, Schema schema, Optional<List<IndexDefinition>> indexes) {
    return new IntegrityRules(
        configuration.updates().integrity(),
        schema,
        configuration.limits().requests(),
        type -> indexes.isEmpty() || hasEquality(type, indexes.get()),
        configuration.settings()::problem);
  }

  /**
   * Checks the rules, and the indexes that they and other extensions need.
   *
   * @throws ConfigurationException if the configuration names an attribute that does not exist, or
   *     has no index
   */
  public static void check(
      NyalaConfig configuration, Schema schema, Optional<List<IndexDefinition>> indexes) {
    IntegrityRules rules = rules(configuration, schema, indexes);
    rules.check();
    for (ConfiguredExtension each : configuration.extensions()) {
      each.equalityIndexes().forEach(name -> rules.indexed(name, each.key()));
    }
  }

  /**
   * Returns the option of the configuration that needs the equality index of a type, if one does.
   */
  public static Optional<String> needing(NyalaConfig configuration, AttributeType type) {
    return all(configuration).entrySet().stream()
        .filter(each -> isNamed(type, each.getValue()))
        .map(Map.Entry::getKey)
        .findFirst();
  }

  private static Map<String, Collection<String>> all(NyalaConfig configuration) {
    Map<String, Collection<String>> all =
        new LinkedHashMap<>(configuration.updates().integrity().equalityIndexes());
    configuration.extensions().forEach(each -> all.put(each.key(), each.equalityIndexes()));
    return all;
  }

  /**
   * Returns the attributes that lack an equality index although an option needs it, each with the
   * option.
   *
   * @param indexes those of the store, or that it will have
   */
  public static Map<AttributeType, String> missing(
      NyalaConfig configuration, Schema schema, List<IndexDefinition> indexes) {
    Map<AttributeType, String> missing = new LinkedHashMap<>();
    all(configuration)
        .forEach(
            (option, names) -> {
              for (String name : names) {
                @Nullable AttributeType type = schema.attributeType(name);
                if (type != null && !hasEquality(type, indexes)) {
                  missing.putIfAbsent(type, option);
                }
              }
            });
    return missing;
  }

  private static boolean hasEquality(AttributeType type, List<IndexDefinition> indexes) {
    return indexes.stream()
        .anyMatch(index -> index.type().equals(type) && index.kinds().contains(IndexKind.EQUALITY));
  }

  /** Returns whether the configuration makes memberOf computed and the type is memberOf. */
  public static boolean computes(NyalaConfig configuration, AttributeType type) {
    return configuration.updates().integrity().memberOf().isPresent()
        && AttributeProviders.isOfMemberships(type);
  }

  private static boolean isNamed(AttributeType type, Collection<String> names) {
    return names.stream()
        .anyMatch(
            name ->
                name.equals(type.oid()) || type.names().stream().anyMatch(name::equalsIgnoreCase));
  }
}
