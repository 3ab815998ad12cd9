package org.nyala.config;

import com.typesafe.config.ConfigUtil;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.nyala.error.ConfigurationException;
import org.nyala.error.Setting;

/**
 * What every key of the configuration stands at, by its full name.
 *
 * <p>Immutable.
 *
 * @param all the settings, in the order in which the program reads them
 */
public record Settings(Map<String, Setting> all) {
  /** No settings at all. */
  static final Settings NONE = new Settings(Map.of());

  /** Copies the map. */
  public Settings {
    all = Collections.unmodifiableMap(new LinkedHashMap<>(all));
  }

  /** The same with another setting in the place of what is known of a key. */
  public Settings with(String key, Setting setting) {
    Map<String, Setting> others = new LinkedHashMap<>(all);
    others.put(key, setting);
    return new Settings(others);
  }

  /** What is wrong with the value of a key, with the place where it stands. */
  public ConfigurationException problem(String key, String problem) {
    @Nullable Setting setting = all.get(key);
    String place = setting == null || setting.isDefault() ? "" : setting.origin() + ": ";
    return ConfigurationException.of(place + key, problem);
  }

  /** The name of a key as HOCON wants it: in quotes where there are other signs than letters. */
  public static String quoted(String key) {
    return ConfigUtil.joinPath(Arrays.asList(key.split("\\.")));
  }
}
