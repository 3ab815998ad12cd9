package org.nyala.lmdb.ldif;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.Csn;
import org.nyala.core.backend.CsnVector;

/**
 * The largest change sequence numbers of an import, by naming context and server.
 *
 * <p>Confined to one running operation. Hot.
 */
final class LargestCsns {
  /**
   * The most servers that a naming context may have numbers of. Each change rewrites the list of
   * them, and each search for {@code contextCSN} returns it; directories have a few.
   */
  static final int MAXIMUM_SERVERS = 128;

  private final List<Map<Integer, Csn>> largest = new ArrayList<>();

  /**
   * Takes the numbers of an entry in a naming context.
   *
   * @return the reason to reject the entry, none of whose numbers was taken then; or null
   */
  @Nullable String note(int suffix, List<Csn> csns) {
    while (largest.size() <= suffix) {
      largest.add(new HashMap<>());
    }
    Map<Integer, Csn> known = largest.get(suffix);
    if (known.size() + csns.size() > MAXIMUM_SERVERS && servers(known, csns) > MAXIMUM_SERVERS) {
      return "entryCSN and contextCSN of more than "
          + MAXIMUM_SERVERS
          + " servers in one naming context";
    }
    for (Csn csn : csns) {
      known.merge(csn.serverId(), csn, (one, other) -> other.isAfter(one) ? other : one);
    }
    return null;
  }

  /** Returns the number of servers after further numbers. */
  private static int servers(Map<Integer, Csn> known, List<Csn> more) {
    Set<Integer> servers = new HashSet<>(known.keySet());
    more.forEach(csn -> servers.add(csn.serverId()));
    return servers.size();
  }

  /** Returns the numbers of each naming context. */
  List<CsnVector> vectors(int suffixes) {
    List<CsnVector> vectors = new ArrayList<>();
    for (int i = 0; i < suffixes; i++) {
      vectors.add(
          i < largest.size() ? CsnVector.ofLargest(largest.get(i).values()) : CsnVector.EMPTY);
    }
    return vectors;
  }
}
