package org.nyala.service;

import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneId;
import java.util.Locale;
import java.util.Map;

/**
 * The time and level before lines that a server prints itself, in the form of the lines that {@code
 * conf/logging.properties} makes: they go to the same file. Stateless.
 */
public final class LogStamp {
  /** The environment variable of a server whose output is its log, whatever the value. */
  public static final String VARIABLE = "NYALA_OUTPUT_IS_LOG";

  private LogStamp() {}

  /** Returns the text before a line, such as {@code 2026-11-27T09:00:00.000+0000 INFO }. */
  public static String of(Instant time, String level) {
    return String.format(
        Locale.ROOT, "%1$tFT%1$tT.%1$tL%1$tz %2$s ", time.atZone(ZoneId.systemDefault()), level);
  }

  /** Returns the text before the reason why a process ends; empty unless its output is a log. */
  public static String ofFailure(Map<String, String> environment) {
    return environment.containsKey(VARIABLE) ? of(InstantSource.system().instant(), "SEVERE") : "";
  }
}
