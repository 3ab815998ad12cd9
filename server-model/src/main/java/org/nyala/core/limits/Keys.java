package org.nyala.core.limits;

import static java.util.Objects.requireNonNull;

import java.lang.reflect.Field;
import java.lang.reflect.RecordComponent;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The keys of records of settings: each component with a {@link Key} is one, and what the key says
 * is all that there is of it. Components without one are given.
 *
 * <p>Stateless.
 */
public final class Keys {
  private Keys() {}

  /** An object of the configuration; one without any value by default. */
  public interface Source {
    /** Returns a number within bounds, or 0 for a word, unless that is empty. */
    default long number(String key, String zero, long standard, long least, long most) {
      return standard;
    }

    /** Returns true or false. */
    default boolean bool(String key, boolean standard) {
      return standard;
    }

    /** Returns one of the words that are offered. */
    default String word(String key, String standard, List<String> offered) {
      return standard;
    }

    /** Returns text that is not blank. */
    default String text(String key, String standard) {
      return standard;
    }

    /** Returns text that is not blank; nothing if it is missing. */
    default Optional<String> text(String key) {
      return Optional.empty();
    }

    /** Returns the file or folder that a key names; nothing if it is missing. */
    default Optional<Path> path(String key) {
      return Optional.empty();
    }

    /** Returns a list of texts, none of them blank. */
    default List<String> texts(String key, List<String> standard) {
      return standard;
    }

    /** Returns the object below a key. */
    default Source section(String key) {
      return this;
    }
  }

  /** Returns the record with the default of each key; all components are keys. */
  public static <T extends Record> T defaults(Class<T> type) {
    return defaults(type, Map.of());
  }

  /** Returns a record with the default of each key. */
  public static <T extends Record> T defaults(Class<T> type, Map<String, ?> others) {
    return read(type, new Source() {}, others);
  }

  /** Reads a record, all of whose components are keys. */
  public static <T extends Record> T read(Class<T> type, Source source) {
    return read(type, source, Map.of());
  }

  /**
   * Reads a record.
   *
   * @param others the components that are no keys, by their names; null if they are missing
   */
  public static <T extends Record> T read(Class<T> type, Source source, Map<String, ?> others) {
    return new Reading<>(type, source, others).made();
  }

  /** Returns a copy of a record with another value of the component of a name. */
  public static <T extends Record> T with(T from, String name, @Nullable Object value) {
    return with(from, Collections.singletonMap(name, value));
  }

  /**
   * Returns a copy of a record with other values of some components, by their names.
   *
   * @throws IllegalArgumentException if a name is that of none
   */
  public static <T extends Record> T with(T from, Map<String, ? extends @Nullable Object> others) {
    Set<String> unknown = new TreeSet<>(others.keySet());
    T made =
        mapped(
            from,
            each -> unknown.remove(each.getName()) ? others.get(each.getName()) : get(each, from));
    if (!unknown.isEmpty()) {
      throw new IllegalArgumentException(from.getClass() + " has no " + unknown);
    }
    return made;
  }

  /**
   * Returns a copy of a record with other values of some components.
   *
   * @param draft has a public field for each component, which gets its value
   * @param change sets some of these fields
   */
  public static <T extends Record, D> T with(T from, D draft, Consumer<D> change) {
    try {
      for (RecordComponent each : from.getClass().getRecordComponents()) {
        draft.getClass().getField(each.getName()).set(draft, get(each, from));
      }
      change.accept(draft);
      Map<String, @Nullable Object> values = new HashMap<>();
      for (Field each : draft.getClass().getFields()) {
        values.put(each.getName(), each.get(draft));
      }
      return with(from, values);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(draft.getClass().getName(), e);
    }
  }

  /** Returns wanted settings with the values of the keys that last from those before. */
  public static <T extends Record> T lasting(T before, T wanted) {
    return mapped(
        wanted,
        each -> {
          Key key = each.getAnnotation(Key.class);
          if (key != null && key.lasting()) {
            return get(each, before);
          }
          Object value = get(each, wanted);
          return isKeyed(each.getType())
              ? lasting((Record) get(each, before), (Record) value)
              : value;
        });
  }

  private static <T extends Record> T mapped(
      T like, Function<RecordComponent, @Nullable Object> value) {
    @SuppressWarnings("unchecked")
    Class<T> type = (Class<T>) like.getClass();
    return made(type, Stream.of(type.getRecordComponents()).map(value).toArray());
  }

  /** Returns the names of the keys that last, each with a prefix for its section. */
  public static Set<String> lasting(String prefix, Class<? extends Record> type) {
    Set<String> names = new TreeSet<>();
    for (RecordComponent each : type.getRecordComponents()) {
      Key key = each.getAnnotation(Key.class);
      if (isKeyed(each.getType())) {
        String section = key == null ? prefix : prefix + name(each) + ".";
        names.addAll(lasting(section, each.getType().asSubclass(Record.class)));
      } else if (key != null && key.lasting()) {
        names.add(prefix + name(each));
      }
    }
    return names;
  }

  /** The reading of one record. Confined to one thread. */
  private static final class Reading<T extends Record> {
    private final Class<T> type;
    private final Source source;
    private final Map<String, ?> others;
    private final Map<String, @Nullable Object> values = new HashMap<>();

    Reading(Class<T> type, Source source, Map<String, ?> others) {
      this.type = type;
      this.source = source;
      this.others = others;
    }

    T made() {
      return Keys.made(type, Stream.of(type.getRecordComponents()).map(this::value).toArray());
    }

    private @Nullable Object value(RecordComponent component) {
      if (!values.containsKey(component.getName())) {
        values.put(component.getName(), read(component));
      }
      return values.get(component.getName());
    }

    private @Nullable Object read(RecordComponent component) {
      Key key = component.getAnnotation(Key.class);
      Class<?> kind = component.getType();
      if (others.containsKey(component.getName())) {
        return others.get(component.getName());
      }
      if (isKeyed(kind)) {
        Source section = key == null ? source : source.section(name(component));
        return Keys.read(kind.asSubclass(Record.class), section);
      }
      if (key == null) {
        return null;
      }
      String name = name(component);
      if (kind == int.class) {
        return Math.toIntExact(number(name, key));
      } else if (kind == long.class) {
        return number(name, key);
      } else if (kind == boolean.class) {
        return source.bool(name, key.on());
      } else if (kind == List.class) {
        return source.texts(name, List.of());
      } else if (kind.isEnum()) {
        return constant(name, kind);
      } else if (kind == Optional.class) {
        boolean isPath = component.getGenericType().getTypeName().contains("Path");
        return isPath ? source.path(name) : source.text(name);
      } else if (kind == Path.class) {
        return source.path(name).orElse(null);
      }
      return key.text().isEmpty() ? source.text(name).orElse(null) : source.text(name, key.text());
    }

    private long number(String name, Key key) {
      long least = bound(key.notBelow(), key.from(), key);
      long most = bound(key.notAbove(), key.to(), key);
      // A number that is 0 by default has a word for it.
      long standard = key.usual() == 0 ? 0 : Math.clamp(key.usual(), least, most);
      return source.number(name, key.zero(), standard, least, most) * key.unit();
    }

    private long bound(String component, long otherwise, Key key) {
      return component.isEmpty()
          ? otherwise
          : requireNonNull((Number) value(component(component))).longValue() / key.unit();
    }

    private RecordComponent component(String name) {
      return Arrays.stream(type.getRecordComponents())
          .filter(each -> each.getName().equals(name))
          .findFirst()
          .orElseThrow();
    }

    private Object constant(String name, Class<?> kind) {
      List<?> all = List.of(kind.getEnumConstants());
      List<String> words =
          all.stream().map(each -> each.toString().toLowerCase(Locale.ROOT)).toList();
      return all.get(words.indexOf(source.word(name, words.getFirst(), words)));
    }
  }

  private static String name(RecordComponent component) {
    Key key = component.getAnnotation(Key.class);
    return key == null || key.name().isEmpty() ? component.getName() : key.name();
  }

  /** Returns whether a type is a record with a key, in itself or in a record that it has. */
  private static boolean isKeyed(Class<?> type) {
    return type.isRecord()
        && Stream.of(type.getRecordComponents())
            .anyMatch(each -> each.isAnnotationPresent(Key.class) || isKeyed(each.getType()));
  }

  private static Object get(RecordComponent component, Record from) {
    try {
      return component.getAccessor().invoke(from);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(component.toString(), e);
    }
  }

  private static <T extends Record> T made(Class<T> type, @Nullable Object[] values) {
    Class<?>[] types =
        Stream.of(type.getRecordComponents()).map(RecordComponent::getType).toArray(Class[]::new);
    try {
      return type.getDeclaredConstructor(types).newInstance(values);
    } catch (ReflectiveOperationException e) {
      throw e.getCause() instanceof RuntimeException cause
          ? cause
          : new IllegalStateException(type.getName(), e);
    }
  }
}
