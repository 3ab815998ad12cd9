package org.nyala.lmdb.search;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.nyala.core.filter.CompiledFilter;

/**
 * The nodes of a plan by the parts of the filter that they stand for; parts that were not looked up
 * are not in it.
 *
 * <p>Confined to one running operation.
 */
public final class PlanTrace {
  private final IdentityHashMap<CompiledFilter, CandidateNode> nodes = new IdentityHashMap<>();
  private final Set<CompiledFilter> covered = Collections.newSetFromMap(new IdentityHashMap<>());

  /** Records the node of a part. */
  void planned(CompiledFilter part, CandidateNode node) {
    nodes.put(part, node);
  }

  /** Records a range that another one makes superfluous. */
  void covered(CompiledFilter part) {
    covered.add(part);
  }

  /** Returns whether another range makes a part superfluous. */
  public boolean isCovered(CompiledFilter part) {
    return covered.contains(part);
  }

  /** Returns the node of a part; null if it was not looked up. */
  public @Nullable CandidateNode node(CompiledFilter part) {
    return nodes.get(part);
  }
}
