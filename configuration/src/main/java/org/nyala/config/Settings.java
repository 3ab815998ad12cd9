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
 * The value and origin of every key of the configuration, by its full name.
 *
 * <p>Immutable.
 *
 * @param all the settings, in the order in which the program reads them
 */
public record Settings(Map<String, Setting> all) {
  static final Settings NONE = new Settings(Map.of());

  public Settings {
    all = Collections.unmodifiableMap(new LinkedHashMap<>(all));
  }

  /** Returns the settings with one of them replaced. */
  public Settings with(String key, Setting setting) {
    Map<String, Setting> others = new LinkedHashMap<>(all);
    others.put(key, setting);
    return new Settings(others);
  }

  /** Makes the exception for a wrong value of a key, with its place in the file. */
  public ConfigurationException problem(String key, String problem) {
    @Nullable Setting setting = all.get(key);
    String place = setting == null || setting.isDefault() ? "" : setting.origin() + ": ";
    return ConfigurationException.of(place + key, problem);
  }

  /**
   * Returns the name of a key as HOCON requires it: in quotes if it has characters other than
   * letters.
   */
  public static String quoted(String key) {
    return ConfigUtil.joinPath(Arrays.asList(key.split("\\.")));
  }
}
