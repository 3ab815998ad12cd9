package org.nyala.config;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.nyala.core.limits.Keys;
import org.nyala.log.AccessLog;
import org.nyala.log.LogSettings;
import org.nyala.log.SecuritySettings;

/** Reads the configuration of logs. */
final class LogConfiguration {
  private static final String OFF = "off";
  private static final int MEBIBYTE_SHIFT = 20;

  private final ConfigSection section;

  private LogConfiguration(ConfigSection section) {
    this.section = section;
  }

  /** Reads the section. */
  static NyalaConfig.Logs read(ConfigSection section) {
    LogConfiguration log = new LogConfiguration(section);
    int slowMillis = section.integer("slowMillis", 100, 0, 3_600_000);
    return new NyalaConfig.Logs(log.access(), log.audit(), log.security(), slowMillis);
  }

  private Optional<NyalaConfig.AccessLogging> access() {
    ConfigSection access = section.section("access");
    String format = access.word("format", OFF, List.of(OFF, "stats", "json"));
    LogSettings settings = settings(access, "logs/access.log");
    return format.equals(OFF)
        ? Optional.empty()
        : Optional.of(
            new NyalaConfig.AccessLogging(
                AccessLog.Format.valueOf(format.toUpperCase(Locale.ROOT)), settings));
  }

  private Optional<LogSettings> audit() {
    ConfigSection audit = section.section("audit");
    boolean enabled = audit.bool("enabled", false);
    LogSettings settings = settings(audit, "logs/audit.ldif");
    return enabled ? Optional.of(settings) : Optional.empty();
  }

  private Optional<SecuritySettings> security() {
    ConfigSection security = section.section("security");
    // By default it is kept if it can be: it is no reason for a server not to start.
    boolean isRequired = security.has("file") || security.has("format");
    String format = security.word("format", "text", List.of(OFF, "text", "json"));
    SecuritySettings settings =
        Keys.read(
            SecuritySettings.class,
            security,
            Map.of(
                "format",
                format.equals(OFF)
                    ? SecuritySettings.Format.TEXT
                    : SecuritySettings.Format.valueOf(format.toUpperCase(Locale.ROOT)),
                "isRequired",
                isRequired,
                "file",
                settings(security, "logs/security.log")));
    return format.equals(OFF) ? Optional.empty() : Optional.of(settings);
  }

  private LogSettings settings(ConfigSection of, String file) {
    long queueMebibytes = section.integer("queueMebibytes", 32, 1, 1 << MEBIBYTE_SHIFT);
    return Keys.read(
        LogSettings.class,
        of,
        Map.of(
            "file", of.base().resolve(of.text("file", file)),
            "queueRecords", section.integer("queueRecords", 65_536, 16, 1 << 24),
            "queueBytes", queueMebibytes << MEBIBYTE_SHIFT));
  }
}
