package org.nyala.lmdb.rejection;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.nyala.core.dn.Dn;
import org.nyala.lmdb.format.ImportNameHash;

/**
 * The entries that an import leaves out although each is valid by itself, with the reasons.
 *
 * <p>Immutable.
 */
public final class RefusedEntries {
  public static final RefusedEntries NONE = new RefusedEntries();

  private final Map<Name, String> reasons;

  /** The hash of a name. Immutable. */
  private record Name(long high, long low) {}

  private RefusedEntries() {
    reasons = Map.of();
  }

  /** Refuses the given entries, with the hashes of their names. */
  public RefusedEntries(Map<Dn, String> entries, ImportNameHash hash) {
    Map<Name, String> hashed = HashMap.newHashMap(entries.size());
    entries.forEach(
        (dn, reason) -> {
          hash.reset();
          for (int i = dn.rdnCount() - 1; i >= 0; i--) {
            hash.descend(dn.normalizedRdn(i));
          }
          hashed.put(new Name(hash.high(), hash.low()), reason);
        });
    reasons = Map.copyOf(hashed);
  }

  /** Returns the reason for refusing an entry; null if it is not refused. */
  public @Nullable String reason(long high, long low) {
    return reasons.isEmpty() ? null : reasons.get(new Name(high, low));
  }
}
