package org.nyala.lmdb.rejection;

import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.nyala.core.bytes.PrintableText;

/**
 * The names that rejected entries use and that nothing defines, counted, with the first entries of
 * each. However many there are, it keeps at most {@value #MOST} names, and one for all others.
 *
 * <p>Confined to one running operation.
 */
public final class UndefinedNames {
  private static final int MOST = 500;
  private static final int SHOWN = 100;
  private static final String OTHERS = "other names";

  private final Map<Use, Count> counts = new LinkedHashMap<>();

  /** The use of a name in an entry. Immutable. */
  public record Use(UndefinedName.Kind kind, String name) {}

  private record Count(Use use, Occurrences entries) {
    UndefinedName name() {
      return new UndefinedName(use.kind, use.name, entries.count(), entries.first());
    }
  }

  /** Counts the names that an entry uses, each of which is given once. */
  public void add(List<Use> uses, RejectionCauses.Entry entry) {
    uses.forEach(use -> count(use).entries().add(entry));
  }

  private Count count(Use use) {
    Count count = counts.get(key(use));
    if (count != null) {
      return count;
    }
    String name = counts.size() < MOST ? PrintableText.of(use.name, SHOWN) : OTHERS;
    Use kept = new Use(use.kind, name);
    return counts.computeIfAbsent(
        name.equals(OTHERS) ? kept : key(use), _ -> new Count(kept, new Occurrences()));
  }

  private static Use key(Use use) {
    return new Use(use.kind, PrintableText.of(use.name.toLowerCase(Locale.ROOT), SHOWN));
  }

  /** Returns the names by kind, the most frequent first. */
  public List<UndefinedName> list() {
    return counts.values().stream()
        .map(Count::name)
        .sorted(
            Comparator.comparing(UndefinedName::kind)
                .thenComparing(Comparator.comparingLong(UndefinedName::entries).reversed()))
        .toList();
  }
}
