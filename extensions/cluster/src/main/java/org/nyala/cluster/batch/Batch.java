package org.nyala.cluster.batch;

import java.util.List;

/**
 * A batch as it was read from an entry.
 *
 * <p>Immutable, but for the arrays of values, which are never written to.
 *
 * @param id its identity
 * @param before the state that it was made from
 * @param calls what it does, in order
 */
public record Batch(BatchId id, Before before, List<RecordedCall> calls) {
  public Batch {
    calls = List.copyOf(calls);
  }

  /** Returns whether it changes the schema, and so needs a transaction of its own. */
  public boolean isAlone() {
    return calls.stream().anyMatch(RecordedCall.Defined.class::isInstance);
  }
}
