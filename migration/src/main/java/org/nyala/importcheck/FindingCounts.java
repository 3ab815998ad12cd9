package org.nyala.importcheck;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.nyala.core.bytes.PrintableText;

/**
 * Counts findings by kind and subject. There are as many subjects as configured and usual
 * attributes.
 *
 * <p>Confined to one running operation.
 */
final class FindingCounts {
  private static final int SHOWN_CHARS = 400;

  private final Map<Key, Count> counts = new LinkedHashMap<>();

  /** The kind and subject of findings. Immutable. */
  private record Key(Finding.Kind kind, String subject) {}

  private static final class Count {
    private final List<String> first = new ArrayList<>(Finding.SHOWN);
    private long count;
  }

  /** Counts one occurrence, whose text is asked for if it is among the first. */
  void add(Finding.Kind kind, String subject, Supplier<String> occurrence) {
    Count count = counts.computeIfAbsent(new Key(kind, subject), _ -> new Count());
    if (count.count++ < Finding.SHOWN) {
      count.first.add(PrintableText.of(occurrence.get(), SHOWN_CHARS));
    }
  }

  /** Returns what was counted, in the order in which each was first found. */
  List<Finding> findings() {
    List<Finding> findings = new ArrayList<>();
    counts.forEach(
        (key, count) -> findings.add(new Finding(key.kind, key.subject, count.count, count.first)));
    return findings;
  }
}
