package org.nyala.error;

import com.typesafe.config.ConfigOrigin;

/** Why a configuration is not used: where, which key, and what was expected there. */
public final class ConfigurationException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private ConfigurationException(String message) {
    super(message, null, false, false);
  }

  /** Something is wrong with the value of a key. */
  public static ConfigurationException at(ConfigOrigin origin, String key, String problem) {
    return of(Setting.origin(origin) + ": " + key, problem);
  }

  /** Something is wrong with a file as a whole, or with a key of which the place is known. */
  public static ConfigurationException of(String place, String problem) {
    return new ConfigurationException(place + ": " + problem);
  }
}
