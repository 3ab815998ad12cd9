package org.nyala.cluster.join;

import org.nyala.extension.Section;

/**
 * The limits of copies that a member hands out to others.
 *
 * <p>Immutable.
 *
 * @param mebibytesPerSecond the most that all of them read together; 0 for no limit
 * @param atOnce the most copies at a time, from 1: each takes the disk that the store takes
 * @param idleSeconds the time after which a copy that nobody asks for is deleted, from 1
 */
public record CopyLimits(int mebibytesPerSecond, int atOnce, int idleSeconds) {
  private static final int MOST_MEBIBYTES = 1 << 20;
  private static final int MOST_AT_ONCE = 64;
  private static final int MOST_SECONDS = 86_400;

  /** Reads the keys of the object {@code cluster}. */
  public static CopyLimits read(Section section) {
    return new CopyLimits(
        section.integer("copyMebibytesPerSecond", 0, 0, MOST_MEBIBYTES),
        section.integer("copiesAtOnce", 2, 1, MOST_AT_ONCE),
        section.integer("copyIdleSeconds", 120, 1, MOST_SECONDS));
  }
}
