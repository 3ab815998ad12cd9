package org.nyala.config;

import org.nyala.core.access.MinimumStrength;
import org.nyala.error.ConfigurationException;

/** Reads the configuration of protection: on the way, and from those who guess. Stateless. */
final class SecurityConfiguration {
  private static final int MOST_BITS = 256;

  private SecurityConfiguration() {}

  /**
   * Reads it from its section.
   *
   * @param isPossible true if connections can be encrypted
   * @throws ConfigurationException also if it demands encryption by name where there is none
   */
  static MinimumStrength minimumStrength(ConfigSection security, boolean isPossible) {
    ConfigSection section = security.section("minimumStrength");
    MinimumStrength read = read(section);
    if (!isPossible) {
      refuse(section, "any", read.any());
      refuse(section, "simpleBind", read.sparesThisMachine() ? 0 : read.simpleBind());
      refuse(section, "write", read.write());
    }
    return read;
  }

  private static void refuse(ConfigSection section, String key, int bits) {
    if (bits > 0) {
      throw section.problem(key, "encryption needs a certificate: set nyala.tls.certificate");
    }
  }

  private static MinimumStrength read(ConfigSection section) {
    MinimumStrength d = MinimumStrength.DEFAULT;
    int simpleBind = (int) section.number("simpleBind", ConfigSection.AUTO, 0, 0, MOST_BITS);
    boolean isAuto = section.isAuto("simpleBind");
    return new MinimumStrength(
        section.integer("any", d.any(), 0, MOST_BITS),
        isAuto ? d.simpleBind() : simpleBind,
        isAuto,
        section.integer("write", d.write(), 0, MOST_BITS));
  }
}
