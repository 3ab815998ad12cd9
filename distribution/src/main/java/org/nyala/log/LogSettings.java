package org.nyala.log;

import java.nio.file.Path;

/**
 * Where a log goes and how much of it is kept.
 *
 * <p>Immutable.
 *
 * @param file the file that is written; older ones have {@code .1}, {@code .2} ... at the end
 * @param fileBytes the size at which another file is begun
 * @param files how many older ones are kept, at least 1
 * @param queueRecords records that may wait to be written; more are dropped
 * @param queueBytes memory that they may take, about; more are dropped
 */
public record LogSettings(Path file, long fileBytes, int files, int queueRecords, long queueBytes) {
  /** Rejects bounds without a meaning. */
  public LogSettings {
    if (fileBytes < 1 || files < 1 || queueRecords < 2 || queueBytes < 1) {
      throw new IllegalArgumentException("log bounds");
    }
  }
}
