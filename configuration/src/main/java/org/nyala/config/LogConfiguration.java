package org.nyala.config;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.nyala.log.AccessLog;
import org.nyala.log.LogSettings;
import org.nyala.log.SecuritySettings;

/** Reads the configuration of logs. */
final class LogConfiguration {
  private static final String OFF = "off";
  private static final int MEBIBYTE_SHIFT = 20;
  private static final int FILE_MEBIBYTES = 64;
  private static final int FILES = 8;
  private static final int FILES_MAXIMUM = 10_000;
  private static final int MEBIBYTES_MAXIMUM = 1 << 20;
  private static final int QUEUE_RECORDS = 65_536;
  private static final int QUEUE_RECORDS_MINIMUM = 16;
  private static final int QUEUE_RECORDS_MAXIMUM = 1 << 24;
  private static final int QUEUE_MEBIBYTES = 32;
  private static final int FAILURES_PER_SECOND = 100;
  private static final int FAILURES_MAXIMUM = 1_000_000;
  private static final int SLOW_MILLIS = 100;
  private static final int SLOW_MILLIS_MAXIMUM = 3_600_000;

  private final ConfigSection section;
  private final Path base;

  private LogConfiguration(ConfigSection section, Path base) {
    this.section = section;
    this.base = base;
  }

  /**
   * Reads the section.
   *
   * @param base the folder that relative paths are relative to
   */
  static NyalaConfig.Logs read(ConfigSection section, Path base) {
    LogConfiguration log = new LogConfiguration(section, base);
    int slowMillis = section.integer("slowMillis", SLOW_MILLIS, 0, SLOW_MILLIS_MAXIMUM);
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
    boolean successfulBinds = security.bool("successfulBinds", true);
    int failures = security.integer("failuresPerSecond", FAILURES_PER_SECOND, 1, FAILURES_MAXIMUM);
    LogSettings settings = settings(security, "logs/security.log");
    return format.equals(OFF)
        ? Optional.empty()
        : Optional.of(
            new SecuritySettings(
                SecuritySettings.Format.valueOf(format.toUpperCase(Locale.ROOT)),
                successfulBinds,
                failures,
                isRequired,
                settings));
  }

  private LogSettings settings(ConfigSection of, String file) {
    return new LogSettings(
        base.resolve(of.text("file", file)),
        mebibytes(of, "fileMebibytes", FILE_MEBIBYTES),
        of.integer("files", FILES, 1, FILES_MAXIMUM),
        section.integer(
            "queueRecords", QUEUE_RECORDS, QUEUE_RECORDS_MINIMUM, QUEUE_RECORDS_MAXIMUM),
        mebibytes(section, "queueMebibytes", QUEUE_MEBIBYTES));
  }

  private static long mebibytes(ConfigSection of, String key, int defaultMebibytes) {
    return (long) of.integer(key, defaultMebibytes, 1, MEBIBYTES_MAXIMUM) << MEBIBYTE_SHIFT;
  }
}
