package org.nyala.cluster.batch;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.nyala.core.dn.Dn;

/**
 * The notes that batches have brought into a store beside changes, for those who keep them in
 * memory or follow its changes.
 *
 * <p>Confined to one thread.
 */
public final class FollowedNotes {
  private final Set<Dn> writers = new LinkedHashSet<>();
  private final Set<Dn> begun = new LinkedHashSet<>();
  private final Map<Dn, Boolean> refreshed = new LinkedHashMap<>();

  /** Takes a call of a batch, after those before it. */
  void take(RecordedCall call) {
    switch (call) {
      case RecordedCall.Promoted promoted -> {
        writers.add(promoted.suffix());
        // A promotion after a refresh that has not ended has all followers compare everything.
        refreshed.computeIfPresent(promoted.suffix(), (_, _) -> true);
      }
      case RecordedCall.Epochs epochs -> writers.add(epochs.suffix());
      case RecordedCall.Continued continued -> begun.add(continued.suffix());
      case RecordedCall.Raised raised ->
          refreshed.merge(raised.name(), begun.contains(raised.name()), Boolean::logicalOr);
      case RecordedCall.Replaced replaced -> refreshed.put(replaced.name(), true);
      case RecordedCall.Applied _,
          RecordedCall.Authored _,
          RecordedCall.Numbered _,
          RecordedCall.Sourced _,
          RecordedCall.Defined _ -> {
        // Changes and their numbers are told otherwise.
      }
    }
  }

  /** Returns the naming contexts of which another one may be the writer now. */
  public Set<Dn> writers() {
    return Collections.unmodifiableSet(writers);
  }

  /**
   * Returns the naming contexts that were refreshed from another server, in changes without order;
   * each with true if it was from nothing.
   */
  public Map<Dn, Boolean> refreshed() {
    return Collections.unmodifiableMap(refreshed);
  }

  /** Returns whether there are none. */
  public boolean isEmpty() {
    return writers.isEmpty() && refreshed.isEmpty();
  }
}
