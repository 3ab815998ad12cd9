package org.nyala.lmdb;

import java.util.IdentityHashMap;
import org.jspecify.annotations.Nullable;
import org.nyala.core.search.CompiledFilter;

/**
 * What each part of a filter has become in a plan; parts that were not looked up are not in it.
 *
 * <p>Confined to one running operation.
 */
final class PlanTrace {
  private final IdentityHashMap<CompiledFilter, CandidateNode> nodes = new IdentityHashMap<>();

  /** Takes note of a part. */
  void planned(CompiledFilter part, CandidateNode node) {
    nodes.put(part, node);
  }

  /** What a part has become; null where it was not looked up. */
  @Nullable CandidateNode node(CompiledFilter part) {
    return nodes.get(part);
  }
}
