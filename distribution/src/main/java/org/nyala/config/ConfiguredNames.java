package org.nyala.config;

import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.dn.InvalidDnException;
import org.nyala.core.schema.Schema;
import org.nyala.error.ConfigurationException;
import org.nyala.error.ErrorMessages;

/** Reads the names of entries that the configuration has. */
final class ConfiguredNames {
  private ConfiguredNames() {}

  /**
   * The name that stands at a key.
   *
   * @throws ConfigurationException when it is no DN
   */
  static Dn dn(NyalaConfig configuration, Schema schema, String key, String text) {
    try {
      return DnParser.parse(schema, text);
    } catch (InvalidDnException e) {
      throw configuration
          .settings()
          .problem(key, "expected a DN, found '" + text + "': " + ErrorMessages.line(e));
    }
  }
}
