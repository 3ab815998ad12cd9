package org.nyala.migrate;

import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.nyala.config.ComputedIndexes;
import org.nyala.core.provider.AttributeProviders;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.Schema;
import org.nyala.core.slapd.SlapdDatabase;
import org.nyala.core.slapd.SlapdDirective;
import org.nyala.lmdb.format.DefaultIndexes;
import org.nyala.lmdb.format.IndexDefinition;
import org.nyala.lmdb.format.IndexKind;
import org.nyala.migrate.MigrationNote.Kind;

/**
 * The directive {@code index} of all databases, and the indexes that other keys need.
 *
 * <p>Confined to one running operation.
 */
final class IndexDirectives {
  static final Set<String> NAMES = Set.of("index");

  private final Translation translation;
  private final Schema schema;
  private final Map<AttributeType, Set<String>> kinds = new LinkedHashMap<>();
  private Set<String> defaults = Set.of("eq");

  private IndexDirectives(Translation translation, Schema schema) {
    this.translation = translation;
    this.schema = schema;
  }

  /**
   * Sets {@code indexes}, unless neither slapd nor another key wants any but the default.
   *
   * @param needed the attributes that need an index for equality
   */
  static void translate(Translation translation, Schema schema, Iterable<String> needed) {
    IndexDirectives indexes = new IndexDirectives(translation, schema);
    for (SlapdDatabase store : translation.stores()) {
      indexes.defaults = Set.of("eq");
      store.directives("index").forEach(indexes::read);
    }
    boolean isFromSlapd = !indexes.kinds.isEmpty();
    if (!isFromSlapd) {
      for (IndexDefinition each : DefaultIndexes.of(schema)) {
        List<String> texts = List.of(each.kindsText().split(",", -1));
        indexes.kinds.put(each.type(), new LinkedHashSet<>(texts));
      }
    }
    boolean isMore = isFromSlapd;
    for (String name : needed) {
      isMore |= indexes.need(name);
    }
    if (isMore) {
      indexes.write(isFromSlapd);
    }
  }

  private void read(SlapdDirective directive) {
    if (directive.words().isEmpty()) {
      return;
    }
    String[] attributes = directive.words().getFirst().split(",", -1);
    Set<String> wanted = directive.words().size() == 1 ? defaults : kinds(directive);
    if (attributes.length == 1 && attributes[0].equalsIgnoreCase("default")) {
      defaults = wanted;
      translation.needless(directive, "counted in the indexes that follow it");
      return;
    }
    boolean isComplete = true;
    for (String name : attributes) {
      isComplete &= add(directive, name, wanted);
    }
    if (isComplete) {
      translation.translated(directive, "indexes");
    }
  }

  private Set<String> kinds(SlapdDirective directive) {
    Set<String> found = new LinkedHashSet<>();
    for (String kind :
        String.join(",", directive.words().subList(1, directive.words().size()))
            .toLowerCase(Locale.ROOT)
            .split(",", -1)) {
      switch (kind) {
        case "eq", "approx" -> found.add("eq");
        case "pres" -> found.add("pres");
        case "sub", "subinitial", "subany", "subfinal" -> found.add("sub");
        default -> {
          // Words about options and subtypes, which indexes here have anyway.
        }
      }
    }
    return found;
  }

  private boolean add(SlapdDirective directive, String name, Set<String> wanted) {
    AttributeType type = schema.attributeType(name);
    if (type == null) {
      translation.missing(directive, "no schema file defines '" + name + "': no index for it");
      return false;
    }
    Set<String> usable = new LinkedHashSet<>(wanted);
    usable.removeIf(label -> !isPossible(type, label));
    if (usable.size() < wanted.size() || isComputed(type)) {
      translation
          .notes()
          .add(
              new MigrationNote(
                  Kind.NEEDLESS,
                  directive.source(),
                  "index " + name + ' ' + String.join(",", wanted),
                  "none is possible, or needed"));
    }
    if (!usable.isEmpty() && !isComputed(type)) {
      kinds.computeIfAbsent(type, _ -> new LinkedHashSet<>()).addAll(usable);
    }
    return true;
  }

  private static boolean isPossible(AttributeType type, String label) {
    IndexKind kind = IndexKind.ofLabel(label);
    return kind != null && IndexDefinition.isPossible(type, kind);
  }

  private boolean isComputed(AttributeType type) {
    boolean isMemberOf =
        AttributeProviders.isOfMemberships(type) && translation.draft().has("memberOf.enabled");
    return isMemberOf
        || ComputedIndexes.isComputed(
            schema, new IndexDefinition(type, EnumSet.of(IndexKind.PRESENCE)));
  }

  private boolean need(String name) {
    AttributeType type = schema.attributeType(name);
    return type != null
        && isPossible(type, "eq")
        && !isComputed(type)
        && kinds.computeIfAbsent(type, _ -> new LinkedHashSet<>()).add("eq");
  }

  private void write(boolean isFromSlapd) {
    StringBuilder value = new StringBuilder("{\n");
    kinds.forEach(
        (type, each) ->
            value
                .append("    ")
                .append(ConfigurationDraft.text(type.name()))
                .append(" = [")
                .append(String.join(", ", each))
                .append("]\n"));
    translation.set(
        "indexes",
        value.append("  }").toString(),
        isFromSlapd
            ? "Those of slapd, and those that the keys above need."
            : "The default ones, and those that the keys above need.");
  }
}
