package org.nyala.cluster;

import java.util.Set;

/**
 * The sentences of a member that refuses a change for a reason of the cluster, and surely has not
 * made it: it may be tried again. Each is given in such a case only.
 *
 * <p>Stateless.
 */
public final class NotMade {
  /** Another member leads, or none. */
  public static final String NOT_LEADING =
      "this member does not lead the cluster: the change was not made";

  /** Leadership went before the change was kept. */
  static final String LOST = "another member leads the cluster now: the change was not made";

  /** An earlier change waits for its outcome. */
  static final String DOUBTED =
      "the outcome of an earlier change is not known yet: this change was not made";

  private static final Set<String> ALL = Set.of(NOT_LEADING, LOST, DOUBTED);

  private NotMade() {}

  /** Returns whether a message is one of these sentences. */
  public static boolean isOne(String message) {
    return ALL.contains(message);
  }
}
