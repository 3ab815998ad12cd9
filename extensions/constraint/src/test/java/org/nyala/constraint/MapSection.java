package org.nyala.constraint;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.LongSupplier;
import org.nyala.core.dn.Dn;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.provider.AttributeProviders;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.Schema;
import org.nyala.core.session.OperationFixture;
import org.nyala.extension.Directory;
import org.nyala.extension.Extension;
import org.nyala.extension.Section;

/** An object of a configuration that a test gives as a map. */
final class MapSection implements Section {
  private static final AttributeProviders PROVIDERS =
      AttributeProviders.of(OperationFixture.SCHEMA, true, false);

  private final Map<String, Object> values;
  private final Set<String> known = new TreeSet<>();

  MapSection(Map<String, Object> values) {
    this.values = values;
  }

  /** Returns the object that holds some rules. */
  static MapSection rules(List<Map<String, Object>> rules) {
    return new MapSection(Map.of("rules", rules.stream().map(MapSection::new).toList()));
  }

  /** Returns the rule that checks changes by some rules of the configuration. */
  static ConstraintRule rule(List<Map<String, Object>> rules) {
    try (Extension extension = new ConstraintSource().read(rules(rules)).orElseThrow().open()) {
      return (ConstraintRule) extension.hooks(directory()).rules().getFirst();
    }
  }

  /** Returns a directory under the standard schema. */
  static Directory directory() {
    return new Directory() {
      @Override
      public Schema schema() {
        return OperationFixture.SCHEMA;
      }

      @Override
      public List<Dn> namingContexts() {
        return List.of();
      }

      @Override
      public boolean isStored(AttributeType type) {
        return PROVIDERS.isStored(type);
      }

      @Override
      public ServerLimits limits() {
        return ServerLimits.DEFAULT;
      }

      @Override
      public LongSupplier nanoClock() {
        return System::nanoTime;
      }
    };
  }

  /** Returns the keys that were asked for. */
  Set<String> known() {
    return known;
  }

  private Optional<Object> value(String key) {
    known.add(key);
    return Optional.ofNullable(values.get(key));
  }

  @Override
  public boolean has(String key) {
    return values.containsKey(key);
  }

  @Override
  public boolean bool(String key, boolean defaultValue) {
    return value(key).map(Boolean.class::cast).orElse(defaultValue);
  }

  @Override
  public int integer(String key, int defaultValue, int minimum, int maximum) {
    int value = value(key).map(Integer.class::cast).orElse(defaultValue);
    if (value < minimum || value > maximum) {
      throw problem(key, "expected " + minimum + " to " + maximum);
    }
    return value;
  }

  @Override
  public String word(String key, String defaultValue, List<String> offered) {
    String value = text(key, defaultValue);
    if (!offered.contains(value)) {
      throw problem(key, "expected one of " + offered);
    }
    return value;
  }

  @Override
  public Optional<String> text(String key) {
    return value(key).map(String.class::cast);
  }

  @Override
  public Optional<String> secret(String key) {
    return text(key);
  }

  @Override
  public String text(String key, String defaultValue) {
    return text(key).orElse(defaultValue);
  }

  @Override
  public List<String> texts(String key, List<String> defaultValue) {
    return value(key)
        .map(value -> ((List<?>) value).stream().map(String.class::cast).toList())
        .orElse(defaultValue);
  }

  @Override
  public List<? extends Section> sections(String key) {
    return value(key)
        .map(value -> ((List<?>) value).stream().map(Section.class::cast).toList())
        .orElse(List.of());
  }

  @Override
  public IllegalArgumentException problem(String key, String problem) {
    return new IllegalArgumentException(key + ": " + problem);
  }
}
