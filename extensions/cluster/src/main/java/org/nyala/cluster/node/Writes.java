package org.nyala.cluster.node;

import org.nyala.extension.Section;

/**
 * The configuration of changes that clients ask of a member that does not lead.
 *
 * <p>Immutable.
 *
 * @param arePassedOn true if the member passes them on to the leader; false if it refers the client
 * @param mostAtOnce the changes that it passes on at a time, and those of others that it carries
 *     out at a time while it leads, from 1
 */
record Writes(boolean arePassedOn, int mostAtOnce) {
  private static final String KEY = "writes";
  private static final String FORWARD = "forward";
  private static final int MOST_AT_ONCE = 100_000;

  /** Reads the keys of an object. */
  static Writes read(Section section) {
    String writes = section.text(KEY, FORWARD);
    if (!writes.equals(FORWARD) && !writes.equals("refer")) {
      throw section.problem(KEY, "expected forward or refer");
    }
    return new Writes(
        writes.equals(FORWARD), section.integer("forwardsAtOnce", 1_000, 1, MOST_AT_ONCE));
  }
}
