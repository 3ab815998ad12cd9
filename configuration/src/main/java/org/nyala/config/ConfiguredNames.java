package org.nyala.config;

import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.dn.InvalidDnException;
import org.nyala.core.schema.Schema;
import org.nyala.error.ConfigurationException;
import org.nyala.error.ErrorMessages;

/** Parses the names of entries in the configuration. */
final class ConfiguredNames {
  private ConfiguredNames() {}

  /**
   * Returns the name at a key.
   *
   * @throws ConfigurationException if it is no DN
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
