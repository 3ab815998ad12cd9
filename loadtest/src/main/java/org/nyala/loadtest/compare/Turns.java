package org.nyala.loadtest.compare;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/**
 * The order in which a round of a comparison takes its servers: by chance, and the other way round
 * in the round after, so that no server always runs on a fresh machine, or after the same other
 * server. The same in every run. Immutable.
 */
public final class Turns {
  private static final long SEED = 2_026;

  private Turns() {}

  /**
   * The servers in the order of a round.
   *
   * @param round from 0 up
   */
  public static <T> List<T> of(List<T> servers, int round) {
    List<T> order = new ArrayList<>(servers);
    Random random = new Random(SEED);
    for (int pair = 0; pair <= round / 2; pair++) {
      Collections.shuffle(order, random);
    }
    return round % 2 == 0 ? order : order.reversed();
  }
}
