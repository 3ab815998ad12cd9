package org.nyala.lmdb.format;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.nyala.core.schema.AttributeType;

/**
 * The indexes of a store: the complete ones, which readers use, and the work on others.
 *
 * <p>Immutable; each change makes another plan.
 *
 * @param complete the indexes that readers use
 * @param work the work that is left
 */
public record IndexPlan(List<IndexDefinition> complete, List<IndexWork> work) {
  public IndexPlan {
    complete = List.copyOf(complete);
    work = List.copyOf(work);
  }

  /**
   * Returns the indexes that changes of entries keep up to date: the complete ones, and those that
   * are being built.
   */
  public List<IndexDefinition> maintained() {
    IndexPlan all = this;
    for (IndexWork each : work) {
      if (each.phase() == IndexWork.Phase.BUILDING) {
        all = all.withComplete(each.type(), each.kind());
      }
    }
    return all.complete;
  }

  /** Begins to build the kinds that do not exist. */
  public IndexPlan adding(IndexDefinition definition) {
    IndexPlan plan = this;
    for (IndexKind kind : definition.kinds()) {
      plan = plan.isComplete(definition.type(), kind) ? plan : plan.adding(definition.type(), kind);
    }
    return plan;
  }

  private IndexPlan adding(AttributeType type, IndexKind kind) {
    List<IndexWork> changed = new ArrayList<>();
    IndexWork next = new IndexWork(type, kind, IndexWork.Phase.BUILDING, 0);
    for (IndexWork each : work) {
      if (!each.isOn(type, kind)) {
        changed.add(each);
      } else if (each.phase() == IndexWork.Phase.BUILDING) {
        next = each;
      } else {
        next = each.with(IndexWork.Phase.REBUILDING, 0);
      }
    }
    changed.add(next);
    return new IndexPlan(complete, changed);
  }

  /** Begins to delete the kinds that exist or are being built, optionally to build them again. */
  public IndexPlan dropping(IndexDefinition definition, boolean isToBeBuiltAgain) {
    IndexPlan plan = this;
    for (IndexKind kind : definition.kinds()) {
      plan = plan.dropping(definition.type(), kind, isToBeBuiltAgain);
    }
    return plan;
  }

  private IndexPlan dropping(AttributeType type, IndexKind kind, boolean isToBeBuiltAgain) {
    IndexWork.Phase phase =
        isToBeBuiltAgain ? IndexWork.Phase.REBUILDING : IndexWork.Phase.DROPPING;
    boolean isThere = isComplete(type, kind);
    List<IndexWork> changed = new ArrayList<>();
    for (IndexWork each : work) {
      isThere |= each.isOn(type, kind);
      if (!each.isOn(type, kind)) {
        changed.add(each);
      }
    }
    if (isThere || isToBeBuiltAgain) {
      changed.add(new IndexWork(type, kind, phase, 0));
    }
    return new IndexPlan(without(type, kind), changed);
  }

  private List<IndexDefinition> without(AttributeType type, IndexKind kind) {
    List<IndexDefinition> left = new ArrayList<>();
    for (IndexDefinition definition : complete) {
      Set<IndexKind> kinds = EnumSet.copyOf(definition.kinds());
      if (definition.type().equals(type)) {
        kinds.remove(kind);
      }
      if (!kinds.isEmpty()) {
        left.add(new IndexDefinition(definition.type(), kinds));
      }
    }
    return left;
  }

  /** Replaces work by its state after some progress. */
  public IndexPlan with(IndexWork before, IndexWork after) {
    List<IndexWork> changed = new ArrayList<>(work);
    changed.set(changed.indexOf(before), after);
    return new IndexPlan(complete, changed);
  }

  /** Ends work: a built index is complete, a deleted one is gone or is built again. */
  public IndexPlan finishing(IndexWork done) {
    if (done.phase() == IndexWork.Phase.REBUILDING) {
      return with(done, done.with(IndexWork.Phase.BUILDING, 0));
    }
    List<IndexWork> left = new ArrayList<>(work);
    left.remove(done);
    IndexPlan plan = new IndexPlan(complete, left);
    return done.phase() == IndexWork.Phase.BUILDING
        ? plan.withComplete(done.type(), done.kind())
        : plan;
  }

  private IndexPlan withComplete(AttributeType type, IndexKind kind) {
    Map<AttributeType, Set<IndexKind>> kinds = new LinkedHashMap<>();
    for (IndexDefinition definition : complete) {
      kinds.put(definition.type(), EnumSet.copyOf(definition.kinds()));
    }
    kinds.computeIfAbsent(type, _ -> EnumSet.noneOf(IndexKind.class)).add(kind);
    List<IndexDefinition> all = new ArrayList<>();
    kinds.forEach((each, set) -> all.add(new IndexDefinition(each, set)));
    return new IndexPlan(all, work);
  }

  private boolean isComplete(AttributeType type, IndexKind kind) {
    for (IndexDefinition definition : complete) {
      if (definition.type().equals(type) && definition.kinds().contains(kind)) {
        return true;
      }
    }
    return false;
  }
}
