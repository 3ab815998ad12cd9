package org.nyala.error;

import com.typesafe.config.ConfigOrigin;

/** A rejected configuration: its place, its key, and the expected value. */
public final class ConfigurationException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private ConfigurationException(String message) {
    super(message, null, false, false);
  }

  /** Describes a wrong value of a key. */
  public static ConfigurationException at(ConfigOrigin origin, String key, String problem) {
    return of(Setting.origin(origin) + ": " + key, problem);
  }

  /** Describes a problem by a message that begins with its place. */
  public static ConfigurationException placed(String message) {
    return new ConfigurationException(message);
  }

  /** Describes a problem of a whole file, or of a key whose place is known. */
  public static ConfigurationException of(String place, String problem) {
    return new ConfigurationException(place + ": " + problem);
  }
}
