package org.nyala.lmdb.search;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.nyala.core.filter.CompiledFilter;

/**
 * What each part of a filter has become in a plan; parts that were not looked up are not in it.
 *
 * <p>Confined to one running operation.
 */
public final class PlanTrace {
  private final IdentityHashMap<CompiledFilter, CandidateNode> nodes = new IdentityHashMap<>();
  private final Set<CompiledFilter> covered = Collections.newSetFromMap(new IdentityHashMap<>());

  /** Takes note of a part. */
  void planned(CompiledFilter part, CandidateNode node) {
    nodes.put(part, node);
  }

  /** Takes note of a range that another one makes superfluous. */
  void covered(CompiledFilter part) {
    covered.add(part);
  }

  /** Tells whether another range makes a part superfluous. */
  public boolean isCovered(CompiledFilter part) {
    return covered.contains(part);
  }

  /** What a part has become; null where it was not looked up. */
  public @Nullable CandidateNode node(CompiledFilter part) {
    return nodes.get(part);
  }
}
