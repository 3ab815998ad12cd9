package org.nyala.config;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigList;
import com.typesafe.config.ConfigObject;
import com.typesafe.config.ConfigOrigin;
import com.typesafe.config.ConfigValue;
import com.typesafe.config.ConfigValueFactory;
import com.typesafe.config.ConfigValueType;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.rule.SimilarNames;
import org.nyala.error.ConfigurationException;
import org.nyala.error.ErrorMessages;
import org.nyala.error.PasswordFile;
import org.nyala.error.Setting;
import org.nyala.extension.Section;

/**
 * One object of the configuration file, read key by key.
 *
 * <p>Every key that is read is a key that exists: any other one that {@link #rejectUnknownKeys}
 * finds is a mistake in the file. Confined to one thread.
 */
final class ConfigSection implements Section {
  /** The word for "Nyala chooses". */
  static final String AUTO = "auto";

  /** The word for "no bound". */
  static final String OFF = "off";

  /** The most keys of a section that a message lists. */
  private static final int FEW = 8;

  private static final String ALL_KEYS = " (conf/nyala.conf and the reference have all keys)";
  private static final String TEXT = "text";
  private static final String TEXTS = "a list of texts";

  private final String path;
  private final ConfigObject object;
  private final Map<String, Setting> settings;
  private final Map<String, String> expectations;
  private final Set<String> known = new TreeSet<>();
  private final Map<String, ConfigSection> sections = new LinkedHashMap<>();
  private final List<ConfigSection> listed = new ArrayList<>();
  private Path base = Path.of("");

  /** Hides the setting of the list that this is an element of. */
  private Runnable hidden = () -> {};

  private ConfigSection(String path, ConfigObject object) {
    this(path, object, new LinkedHashMap<>(), new LinkedHashMap<>());
  }

  private ConfigSection(
      String path,
      ConfigObject object,
      Map<String, Setting> settings,
      Map<String, String> expectations) {
    this.path = path;
    this.object = object;
    this.settings = settings;
    this.expectations = expectations;
  }

  /** Returns the whole file; {@code name} is the only key allowed at the top. */
  static ConfigSection root(Config config, String name) {
    return new ConfigSection("", config.root()).section(name);
  }

  /** Rejects keys at the top of a file other than the name of its section. */
  static void rejectOtherRoots(Config config, String name) {
    ConfigSection top = new ConfigSection("", config.root());
    top.known.add(name);
    top.rejectUnknownKeys();
  }

  /** Returns the object below a key; an empty one if the file has none. */
  @Override
  public ConfigSection section(String key) {
    ConfigSection cached = sections.get(key);
    if (cached != null) {
      return cached;
    }
    @Nullable ConfigValue value = find(key);
    ConfigObject below = ConfigFactory.empty().root();
    if (value instanceof ConfigObject given) {
      below = given;
    } else if (value != null) {
      throw wrong(key, value, "an object in braces");
    }
    ConfigSection section = new ConfigSection(qualified(key), below, settings, expectations);
    section.base = base;
    section.hidden = hidden;
    sections.put(key, section);
    return section;
  }

  /** Returns the objects of a list; none if the key is missing. */
  @Override
  public List<ConfigSection> sections(String key) {
    @Nullable ConfigValue value = value(key, List.of(), "a list of objects");
    if (value == null) {
      return List.of();
    }
    if (!(value instanceof ConfigList list)) {
      throw wrong(key, value, "a list in brackets");
    }
    settings.put(qualified(key), Setting.withoutPasswords(list));
    List<ConfigSection> elements = new ArrayList<>();
    for (ConfigValue element : list) {
      if (!(element instanceof ConfigObject object)) {
        throw wrong(key, element, "an object in braces");
      }
      String place = qualified(key) + "[" + elements.size() + "]";
      // The elements of a list are part of the list's own setting.
      ConfigSection section = new ConfigSection(place, object).in(base);
      section.hidden =
          () -> {
            settings.computeIfPresent(qualified(key), (_, setting) -> setting.hidden());
            hidden.run();
          };
      elements.add(section);
    }
    listed.addAll(elements);
    return elements;
  }

  @Override
  public boolean has(String key) {
    return find(key) != null;
  }

  /** Returns whether a key is missing or has the word for "Nyala chooses". */
  boolean isAuto(String key) {
    @Nullable ConfigValue value = find(key);
    return value == null || AUTO.equals(value.unwrapped());
  }

  /** Returns a whole number within bounds. */
  @Override
  public int integer(String key, int defaultValue, int minimum, int maximum) {
    return (int) number(key, "", defaultValue, minimum, maximum);
  }

  @Override
  public long number(String key, String zero, long standard, long least, long most) {
    String expected =
        (zero.isEmpty() ? "" : zero + " or ") + "a whole number from " + least + " to " + most;
    boolean isWord = standard == 0 && !zero.isEmpty();
    @Nullable ConfigValue value = value(key, isWord ? zero : (Object) standard, expected);
    if (value == null) {
      return standard;
    }
    return !zero.isEmpty() && zero.equals(value.unwrapped())
        ? 0
        : number(key, value, least, most, expected);
  }

  @Override
  public boolean bool(String key, boolean defaultValue) {
    String expected = "true or false";
    @Nullable ConfigValue value = value(key, defaultValue, expected);
    if (value == null) {
      return defaultValue;
    }
    return switch (String.valueOf(value.unwrapped())) {
      case "true" -> true;
      case "false" -> false;
      default -> throw wrong(key, value, expected);
    };
  }

  /** Returns one of the words that are offered. */
  @Override
  public String word(String key, String defaultValue, List<String> offered) {
    String expected = "one of " + String.join(", ", offered);
    @Nullable ConfigValue value = value(key, defaultValue, expected);
    if (value == null) {
      return defaultValue;
    }
    if (!offered.contains(value.unwrapped())) {
      throw wrong(key, value, expected);
    }
    return (String) value.unwrapped();
  }

  /** Returns text that is not blank; nothing if the key is missing. */
  @Override
  public Optional<String> text(String key) {
    @Nullable ConfigValue value = value(key, null, TEXT);
    return value == null ? Optional.empty() : Optional.of(textOf(key, value));
  }

  /** Returns text that is not blank. */
  @Override
  public String text(String key, String defaultValue) {
    @Nullable ConfigValue value = value(key, defaultValue, TEXT);
    return value == null ? defaultValue : textOf(key, value);
  }

  @Override
  public Optional<Path> path(String key) {
    return text(key).map(base::resolve);
  }

  @Override
  public Optional<String> secret(String key) {
    if (has(key)) {
      hidden.run();
    }
    return password(key);
  }

  /** Returns a secret of the server, whose lists are shown without their passwords. */
  Optional<String> password(String key) {
    @Nullable ConfigValue value = value(key, null, "a password");
    if (value != null) {
      settings.computeIfPresent(qualified(key), (_, setting) -> setting.hidden());
    }
    String fileKey = key + "File";
    Optional<String> file = text(fileKey);
    if (value != null && file.isPresent()) {
      throw problem(fileKey, "expected either " + key + " or " + fileKey + ", found both");
    }
    return value == null
        ? file.map(name -> firstLine(fileKey, base.resolve(name)))
        : Optional.of(textOf(key, value));
  }

  /** Returns the same section, where names of files are relative to a folder. */
  ConfigSection in(Path folder) {
    base = folder;
    return this;
  }

  /** Returns the folder that names of files are relative to. */
  Path base() {
    return base;
  }

  private String firstLine(String key, Path file) {
    try {
      return PasswordFile.read(file);
    } catch (IOException e) {
      throw problem(key, ErrorMessages.line(e));
    }
  }

  /** Returns a list of texts, none of them blank. */
  @Override
  public List<String> texts(String key, List<String> defaultValue) {
    @Nullable ConfigValue value = value(key, defaultValue, TEXTS);
    return value == null ? defaultValue : textsOf(key, value, false);
  }

  /** Returns a list of texts that may be empty, as the DN above all others is; none by default. */
  List<String> textsOrEmpty(String key) {
    @Nullable ConfigValue value = value(key, List.of(), TEXTS);
    return value == null ? List.of() : textsOf(key, value, true);
  }

  private List<String> textsOf(String key, ConfigValue value, boolean mayBeEmpty) {
    if (!(value instanceof ConfigList list)) {
      throw wrong(key, value, "a list in brackets");
    }
    return list.stream()
        .map(each -> mayBeEmpty && "".equals(each.unwrapped()) ? "" : textOf(key, each))
        .toList();
  }

  /** Returns the keys that the file has in this section, in its order of lines. */
  List<String> keys() {
    List<String> keys = new ArrayList<>(object.keySet());
    keys.sort((a, b) -> Integer.compare(originOf(a).lineNumber(), originOf(b).lineNumber()));
    return keys;
  }

  /** Makes the exception for a wrong value of a key of this section. */
  @Override
  public ConfigurationException problem(String key, String problem) {
    return ConfigurationException.at(originOf(key), qualified(key), problem);
  }

  /** Returns whether a key of this section was read. */
  boolean reads(String key) {
    return known.contains(key);
  }

  /** Returns the full names of the keys that were read here and below, without sections. */
  Set<String> knownKeys() {
    Set<String> names = new TreeSet<>();
    for (String key : known) {
      ConfigSection section = sections.get(key);
      if (section == null) {
        names.add(qualified(key));
      } else {
        names.addAll(section.knownKeys());
      }
    }
    return names;
  }

  /** Rejects keys that were never read, here and below. */
  void rejectUnknownKeys() {
    for (String key : keys()) {
      if (!known.contains(key)) {
        throw problem(key, "there is no such key" + suggestion(key) + ALL_KEYS);
      }
    }
    sections.values().forEach(ConfigSection::rejectUnknownKeys);
    listed.forEach(ConfigSection::rejectUnknownKeys);
  }

  /** Returns the keys that may have been meant: similar ones, the same elsewhere, or all of few. */
  private String suggestion(String key) {
    String similar = SimilarNames.hint(key, known);
    if (!similar.isEmpty()) {
      return similar;
    }
    List<String> elsewhere =
        settings.keySet().stream().filter(each -> each.endsWith("." + key)).limit(FEW).toList();
    if (!elsewhere.isEmpty()) {
      return ", did you mean '" + String.join("' or '", elsewhere) + "'?";
    }
    return known.size() > FEW ? "" : "; expected one of " + String.join(", ", known);
  }

  /** Returns the values of all keys that were read, here and everywhere else in the file. */
  Settings settings() {
    return new Settings(settings);
  }

  /** Returns the description of each key's expected value, by its full name. */
  Map<String, String> expectations() {
    return Collections.unmodifiableMap(expectations);
  }

  /** Reads the value of a key; records its setting and its expected value. */
  private @Nullable ConfigValue value(String key, @Nullable Object defaultValue, String expected) {
    @Nullable ConfigValue value = find(key);
    expectations.put(qualified(key), expected);
    ConfigValue effective =
        value == null ? ConfigValueFactory.fromAnyRef(defaultValue, Setting.DEFAULT) : value;
    settings.put(qualified(key), Setting.of(effective));
    return value;
  }

  private @Nullable ConfigValue find(String key) {
    known.add(key);
    @Nullable ConfigValue value = object.get(key);
    return value == null || value.valueType() == ConfigValueType.NULL ? null : value;
  }

  private ConfigOrigin originOf(String key) {
    @Nullable ConfigValue value = object.get(key);
    return value == null ? object.origin() : value.origin();
  }

  private long number(String key, ConfigValue value, long minimum, long maximum, String expected) {
    long number;
    try {
      number = Long.parseLong(String.valueOf(value.unwrapped()));
    } catch (NumberFormatException e) {
      throw wrong(key, value, expected);
    }
    if (number < minimum || number > maximum) {
      throw wrong(key, value, expected);
    }
    return number;
  }

  private String textOf(String key, ConfigValue value) {
    if (value instanceof ConfigObject || value instanceof ConfigList) {
      throw wrong(key, value, "text");
    }
    String text = String.valueOf(value.unwrapped());
    if (text.isBlank()) {
      throw wrong(key, value, "text that is not blank");
    }
    return text;
  }

  private ConfigurationException wrong(String key, ConfigValue value, String expected) {
    String found =
        switch (value.valueType()) {
          case OBJECT -> "an object";
          case LIST -> "a list";
          default -> "'" + value.unwrapped() + "'";
        };
    return ConfigurationException.at(
        value.origin(), qualified(key), "expected " + expected + ", found " + found);
  }

  private String qualified(String key) {
    return path.isEmpty() ? key : path + "." + key;
  }
}
