package org.nyala.cli;

import org.nyala.cli.NyalaConfig.Management;

/** Reads the part of the configuration that is about looking after the server. */
final class ManagementConfiguration {
  private static final String HTTP = "http";

  private ManagementConfiguration() {}

  static Management read(ConfigSection section) {
    return new Management(section.text(HTTP).map(text -> address(section, HTTP, text)));
  }

  private static ListenAddress address(ConfigSection section, String key, String text) {
    try {
      return ListenAddress.parseHostAndPort(text);
    } catch (IllegalArgumentException e) {
      throw section.problem(key, Failures.line(e));
    }
  }
}
