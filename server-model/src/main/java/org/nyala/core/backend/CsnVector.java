package org.nyala.core.backend;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.nyala.core.filter.CompiledFilter;

/**
 * The changes that a naming context has: for each server the largest change sequence number, in the
 * order of server numbers. These are the values of {@code contextCSN}.
 *
 * <p>Immutable.
 *
 * @param csns one number for each server, in the order of server numbers
 */
public record CsnVector(List<Csn> csns) {
  /** The vector of a naming context without changes. */
  public static final CsnVector EMPTY = new CsnVector(List.of());

  public CsnVector {
    csns = List.copyOf(csns);
    for (int i = 1; i < csns.size(); i++) {
      if (csns.get(i - 1).serverId() >= csns.get(i).serverId()) {
        throw new IllegalArgumentException("not in the order of servers: " + csns);
      }
    }
  }

  /** Returns the vector that has the largest of some numbers for each server. */
  public static CsnVector ofLargest(Collection<Csn> csns) {
    TreeMap<Integer, Csn> largest = new TreeMap<>();
    for (Csn csn : csns) {
      largest.merge(csn.serverId(), csn, (one, other) -> other.isAfter(one) ? other : one);
    }
    return new CsnVector(List.copyOf(largest.values()));
  }

  /** Returns the number of a server; null if there is none. */
  public @Nullable Csn of(int serverId) {
    int at = place(serverId);
    return at < csns.size() && csns.get(at).serverId() == serverId ? csns.get(at) : null;
  }

  private int place(int serverId) {
    int from = 0;
    int to = csns.size();
    while (from < to) {
      int middle = (from + to) >>> 1;
      if (csns.get(middle).serverId() < serverId) {
        from = middle + 1;
      } else {
        to = middle;
      }
    }
    return from;
  }

  /** Returns whether the changes include the one of a number. */
  public boolean covers(Csn csn) {
    Csn known = of(csn.serverId());
    return known != null && !csn.isAfter(known);
  }

  /** Returns the vector with a further change; the same one if it covers that. */
  public CsnVector with(Csn csn) {
    if (covers(csn)) {
      return this;
    }
    if (csns.size() == 1 && csns.getFirst().serverId() == csn.serverId()) {
      return new CsnVector(List.of(csn));
    }
    int at = place(csn.serverId());
    List<Csn> more = new ArrayList<>(csns);
    if (of(csn.serverId()) == null) {
      more.add(at, csn);
    } else {
      more.set(at, csn);
    }
    return new CsnVector(more);
  }

  /**
   * Returns the vector of the numbers that servers have given; see {@link Csn#given}. This is what
   * clients and other servers get to know.
   */
  public CsnVector given() {
    return csns.stream().allMatch(each -> each.modification() == 0)
        ? this
        : new CsnVector(csns.stream().map(Csn::given).toList());
  }

  /** Returns the vector with all changes of another one. */
  public CsnVector with(CsnVector other) {
    boolean isCovered = other.csns.stream().allMatch(this::covers);
    if (isCovered) {
      return this;
    }
    List<Csn> all = new ArrayList<>(csns);
    all.addAll(other.csns);
    return ofLargest(all);
  }

  /** Returns the vector with all changes of some vectors. */
  public static CsnVector merged(List<CsnVector> vectors) {
    CsnVector all = EMPTY;
    for (CsnVector each : vectors) {
      all = all.with(each);
    }
    return all;
  }

  /** Returns whether the changes include all those of another vector. */
  public boolean covers(CsnVector other) {
    for (Csn csn : other.csns) {
      if (!covers(csn)) {
        return false;
      }
    }
    return true;
  }

  /** Returns whether a value of {@code contextCSN} passes a test. */
  public boolean passes(CompiledFilter.ContextCsnItem test) {
    for (int i = 0; i < csns.size(); i++) {
      if (test.passes(csns.get(i).toString().getBytes(StandardCharsets.US_ASCII))) {
        return true;
      }
    }
    return false;
  }
}
