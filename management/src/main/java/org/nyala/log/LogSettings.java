package org.nyala.log;

import java.nio.file.Path;
import org.nyala.core.limits.Key;

/**
 * The file of a log, and the bounds of its files and its queue.
 *
 * <p>Immutable.
 *
 * @param file the file that is written; older ones have {@code .1}, {@code .2} ... at the end
 * @param fileBytes the size at which another file is begun
 * @param files the number of older files that are kept, at least 1
 * @param queueRecords records that may wait to be written; more are dropped
 * @param queueBytes memory that they may take, about; more are dropped
 */
public record LogSettings(
    Path file,
    @Key(name = "fileMebibytes", usual = 64, from = 1, to = 1 << 20, unit = 1 << 20) long fileBytes,
    @Key(usual = 8, from = 1, to = 10_000) int files,
    int queueRecords,
    long queueBytes) {}
