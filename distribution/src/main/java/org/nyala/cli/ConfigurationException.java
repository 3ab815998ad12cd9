package org.nyala.cli;

import com.typesafe.config.ConfigOrigin;
import org.jspecify.annotations.Nullable;

/** Why a configuration is not used: where, which key, and what was expected there. */
final class ConfigurationException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private ConfigurationException(String message) {
    super(message, null, false, false);
  }

  /** Something is wrong with the value of a key. */
  static ConfigurationException at(ConfigOrigin origin, String key, String problem) {
    return new ConfigurationException(place(origin) + key + ": " + problem);
  }

  /** The file as a whole cannot be used. */
  static ConfigurationException of(String file, String problem) {
    return new ConfigurationException(file + ": " + problem);
  }

  private static String place(ConfigOrigin origin) {
    @Nullable String file = origin.filename();
    String name = file == null ? origin.description() : file;
    return origin.lineNumber() < 0 ? name + ": " : name + ":" + origin.lineNumber() + ": ";
  }
}
