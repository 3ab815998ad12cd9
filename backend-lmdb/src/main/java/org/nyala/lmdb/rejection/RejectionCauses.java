package org.nyala.lmdb.rejection;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.nyala.core.bytes.PrintableText;

/**
 * The causes of an import's rejections, counted, with the first entries of each. However many
 * records are rejected, it keeps at most {@value #MOST} causes, and one for all others together.
 *
 * <p>Confined to one running operation.
 */
public final class RejectionCauses {
  /** The most causes that are counted separately. */
  private static final int MOST = 50;

  private static final String OTHERS = "other reasons";

  /** The most characters of a cause. */
  private static final int SHOWN = 200;

  /* The parts of reasons that differ from record to record: values, names, numbers, places. */
  private static final Pattern VALUE =
      Pattern.compile("^value \\d+ of (\\S+), ('.*'|of \\d+ bytes|\\(not shown\\)),(?= )");

  private static final Pattern SIZE = Pattern.compile("\\b(entry|name) of \\d+ bytes.*");
  private static final Pattern COUNT = Pattern.compile(", not \\d+$");
  private static final Pattern DETAIL =
      Pattern.compile(
          "((?<!missing|invalid DN): (?!value\")|, not [\"']|, and that is not '| but found "
              + "| at byte \\d+ of the name|, before ').*");

  private final Map<String, Occurrences> causes = new LinkedHashMap<>();

  /** Returns the text of an entry in a message: its DN, or its line if it has none. */
  @FunctionalInterface
  public interface Entry {
    String text();
  }

  /** Counts a rejection. */
  public void add(String reason, Entry entry) {
    String kind = kind(reason);
    boolean isKept = causes.containsKey(kind) || causes.size() < MOST;
    causes.computeIfAbsent(isKept ? kind : OTHERS, _ -> new Occurrences()).add(entry);
  }

  /** Returns the part of a reason that the records with the same cause share. */
  private static String kind(String reason) {
    String kind = PrintableText.of(reason, reason.length());
    kind = VALUE.matcher(kind).replaceFirst("a value of $1");
    kind = SIZE.matcher(kind).replaceFirst("$1 of too many bytes");
    kind = COUNT.matcher(kind).replaceFirst(", not more");
    kind = DETAIL.matcher(kind).replaceFirst("");
    return PrintableText.of(kind, SHOWN);
  }

  /** Returns a line for each cause, the most frequent first: its count, the reason, and entries. */
  public List<String> lines() {
    List<String> lines = new ArrayList<>();
    causes.entrySet().stream()
        .sorted(Map.Entry.comparingByValue(Comparator.comparingLong(Occurrences::count).reversed()))
        .forEach(each -> lines.add(line(each.getKey(), each.getValue())));
    return lines;
  }

  private static String line(String reason, Occurrences entries) {
    return entries.count()
        + " x "
        + reason
        + ": "
        + String.join(", ", entries.first())
        + (entries.count() > entries.first().size() ? ", ..." : "");
  }
}
