package org.nyala.log;

import java.nio.file.Path;
import org.nyala.core.limits.Key;
import org.nyala.core.limits.Keys;

/**
 * The settings of the security log.
 *
 * <p>Immutable.
 *
 * @param format the format of its lines
 * @param successfulBinds true if binds are logged that have succeeded, and not only failures
 * @param failuresPerSecond the lines a second about failures of one source, from 1 to 1,000,000;
 *     ten times as many may come at once
 * @param isRequired true if the server does not start without the log
 * @param file the file and the bounds of the queue
 */
public record SecuritySettings(
    Format format,
    @Key(on = true) boolean successfulBinds,
    @Key(usual = 100, from = 1, to = 1_000_000) int failuresPerSecond,
    boolean isRequired,
    LogSettings file) {
  public enum Format {
    /** One line of {@code name=value} for each event. */
    TEXT,
    /** One JSON object on each line. */
    JSON
  }

  /** Returns the same settings with another file. */
  public SecuritySettings at(Path other) {
    return Keys.with(this, "file", Keys.with(file, "file", other));
  }
}
