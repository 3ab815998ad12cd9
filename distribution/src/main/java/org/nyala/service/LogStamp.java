package org.nyala.service;

import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneId;
import java.util.Locale;
import java.util.Map;

/**
 * The beginnings of lines that a server prints itself, in the form of the lines that {@code
 * conf/logging.properties} makes of a logger {@code nyala}: they go to the same file. Stateless.
 */
public final class LogStamp {
  /** The environment variable of a server whose output is its log, whatever the value. */
  public static final String VARIABLE = "NYALA_OUTPUT_IS_LOG";

  private static final String SOURCE = "nyala: ";

  private LogStamp() {}

  /**
   * Returns the text before a line, such as {@code 2026-11-27T09:00:00.000+0000 INFO nyala: }, in
   * local time.
   */
  public static String of(Instant time, String level) {
    return String.format(
        Locale.ROOT,
        "%1$tFT%1$tT.%1$tL%1$tz %2$s %3$s",
        time.atZone(ZoneId.systemDefault()),
        level,
        SOURCE);
  }

  /** Returns the text before the reason why a process ends: the program, or all if it is a log. */
  public static String ofFailure(Map<String, String> environment) {
    return isLog(environment) ? of(InstantSource.system().instant(), "SEVERE") : SOURCE;
  }

  /** Returns whether the output of this process is a log. */
  public static boolean isLog(Map<String, String> environment) {
    return environment.containsKey(VARIABLE);
  }
}
