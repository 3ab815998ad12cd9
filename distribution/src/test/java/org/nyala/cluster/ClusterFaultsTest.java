package org.nyala.cluster;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.nyala.cluster.ClusterFaults.Kind;

/**
 * Faults of a cluster of three servers in processes of their own, while clients write and read:
 * nothing that was acknowledged is lost, and all members are equal in the end.
 */
@Timeout(600)
class ClusterFaultsTest {
  /** The number of faults of the long run; each cluster takes some of them. */
  private static final int FAULTS = Integer.getInteger("nyala.faults", 12);

  private static final int FAULTS_OF_EACH = Integer.getInteger("nyala.faults.each", 2);
  private static final int FAULTS_OF_ONE_CLUSTER = 12;
  private static final long SEED = Long.getLong("nyala.faults.seed", System.nanoTime());

  /** The kinds of the long run, with commas between them; all without it. */
  private static final String KINDS = System.getProperty("nyala.faults.kinds", "");

  @TempDir Path folder;

  private void happen(String name, long seed, List<Kind> kinds) throws Exception {
    // Clients of even ones write anywhere, as by default, and others are referred to the leader.
    boolean isForwarding = (seed & 1) == 0;
    System.out.println("seed " + seed + (isForwarding ? ", forward" : ", refer"));
    Path here = Files.createDirectory(folder.resolve(name));
    try (FaultCluster cluster = FaultCluster.form(here, isForwarding);
        ClusterFaults faults = new ClusterFaults(cluster, name, seed)) {
      for (Kind kind : kinds) {
        faults.happen(kind);
      }
      faults.finish();
    }
  }

  @Test
  void shouldKeepWhatItAcknowledged() throws Exception {
    happen("few", SEED, List.of(Kind.KILLED_LEADER, Kind.CUT_LINKS));
  }

  @Tag("long")
  @ParameterizedTest
  @EnumSource(Kind.class)
  void shouldKeepWhatItAcknowledgedIn(Kind kind) throws Exception {
    happen("each", SEED, Collections.nCopies(FAULTS_OF_EACH, kind));
  }

  @Tag("long")
  @Timeout(36_000)
  @Test
  void shouldKeepWhatItAcknowledgedInMany() throws Exception {
    Set<Kind> chosen = EnumSet.noneOf(Kind.class);
    for (String kind : KINDS.isEmpty() ? new String[0] : KINDS.split(",", -1)) {
      chosen.add(Kind.valueOf(kind));
    }
    if (chosen.isEmpty()) {
      chosen.addAll(EnumSet.allOf(Kind.class));
    }
    Random random = new Random(SEED);
    // Each kind equally often, in any order.
    Deque<Kind> next = new ArrayDeque<>();
    int clusters = 0;
    for (int done = 0; done < FAULTS; ) {
      List<Kind> kinds = new ArrayList<>();
      while (kinds.size() < FAULTS_OF_ONE_CLUSTER && done < FAULTS) {
        if (next.isEmpty()) {
          List<Kind> all = new ArrayList<>(chosen);
          Collections.shuffle(all, random);
          next.addAll(all);
        }
        kinds.add(next.remove());
        done++;
      }
      happen("to" + done, random.nextLong() & ~1L | clusters++ & 1, kinds);
    }
  }
}
