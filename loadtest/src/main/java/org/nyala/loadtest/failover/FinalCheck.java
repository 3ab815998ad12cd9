package org.nyala.loadtest.failover;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.nyala.loadtest.failover.Finding.Kind;
import org.nyala.loadtest.failover.Operations.Outcome;

/**
 * A search for every acknowledged change in what the servers have at the end. The number in an
 * entry is that of the change which came last. Each acknowledged change of the entry that began
 * after the end of that one is lost. A change with an unknown outcome has no end: it may come last
 * whenever it began.
 *
 * <p>Confined to the thread that checks.
 */
final class FinalCheck {
  private static final Pattern NUMBER = Pattern.compile("[0-9]{1,9}");
  private static final int NONE = -1;

  private final History history;
  private final Operations operations;
  private final List<Finding> findings = new ArrayList<>();
  private final Set<Integer> unacknowledged = new TreeSet<>();
  private long acknowledgedCount;
  private long unknownCount;

  private FinalCheck(History history) {
    this.history = history;
    this.operations = history.operations();
  }

  /**
   * The result of the search.
   *
   * @param findings what is wrong
   * @param acknowledged the number of acknowledged changes
   * @param unknown the number of changes whose outcome is unknown
   * @param unknownThere how many of these are there: their number, or that the entry is gone
   */
  record Result(List<Finding> findings, long acknowledged, long unknown, long unknownThere) {
    Result {
      findings = List.copyOf(findings);
    }

    /** Returns the number of findings of a kind. */
    long count(Kind kind) {
      return findings.stream().filter(each -> each.kind() == kind).count();
    }
  }

  /** Checks a history, which is indexed. */
  static Result of(History history) {
    return new FinalCheck(history).run();
  }

  private Result run() {
    for (int i = 0; i < operations.size(); i++) {
      if (operations.isAcknowledged(i)) {
        acknowledgedCount++;
      } else if (operations.isChange(i) && operations.outcome(i) == Outcome.UNKNOWN) {
        unknownCount++;
      }
    }
    int entries = history.entries();
    for (int entry = 0; entry < entries; entry++) {
      check(entry);
    }
    return new Result(findings, acknowledgedCount, unknownCount, unacknowledged.size());
  }

  private void check(int entry) {
    int[] changes = changes(entry);
    Map<List<Object>, Finding> found = new LinkedHashMap<>();
    Contents first = null;
    long answering = 0;
    boolean isSame = true;
    for (int server = 0; server < history.urls().size(); server++) {
      Contents contents = history.contents(server);
      if (contents == null) {
        continue;
      }
      answering |= 1L << server;
      isSame &= first == null || isSame(first, contents, entry);
      first = first == null ? contents : first;
      long bit = 1L << server;
      for (Finding each : check(changes, entry, contents)) {
        found.merge(
            List.of(each.kind(), each.operation(), each.text()),
            new Finding(each.kind(), entry, each.operation(), bit, each.text()),
            (one, other) ->
                new Finding(
                    one.kind(),
                    entry,
                    one.operation(),
                    one.servers() | other.servers(),
                    one.text()));
      }
    }
    findings.addAll(found.values());
    if (!isSame) {
      findings.add(new Finding(Kind.DIFFERING, entry, NONE, answering, differences(entry)));
    }
  }

  private int[] changes(int entry) {
    int[] all = history.of(entry);
    int count = 0;
    for (int each : all) {
      if (operations.isChange(each)) {
        all[count++] = each;
      }
    }
    return java.util.Arrays.copyOf(all, count);
  }

  private static boolean isSame(Contents one, Contents other, int entry) {
    return one.number(entry) == other.number(entry) && one.half(entry).equals(other.half(entry));
  }

  private String differences(int entry) {
    List<String> parts = new ArrayList<>();
    for (int server = 0; server < history.urls().size(); server++) {
      Contents contents = history.contents(server);
      if (contents != null) {
        parts.add(history.urls().get(server) + " has " + inWords(contents, entry));
      }
    }
    return String.join(", ", parts);
  }

  private static String inWords(Contents contents, int entry) {
    int number = contents.number(entry);
    return switch (number) {
      case Operations.ABSENT -> "no entry";
      case Operations.HALF -> contents.half(entry);
      default -> Integer.toString(number);
    };
  }

  private List<Finding> check(int[] changes, int entry, Contents contents) {
    int number = contents.number(entry);
    String text = inWords(contents, entry);
    List<Finding> wrong = new ArrayList<>();
    int last = number == Operations.ABSENT ? lastDeletion(changes) : NONE;
    if (number == Operations.HALF) {
      last = newest(changes, contents.half(entry));
      wrong.add(new Finding(Kind.HALF, entry, last, 0, text));
    } else if (number >= 0) {
      last = change(changes, number);
      if (last == NONE || operations.outcome(last) == Outcome.REFUSED) {
        wrong.add(new Finding(Kind.REFUSED, entry, last, 0, text));
      }
    }
    if (last != NONE && operations.outcome(last) == Outcome.UNKNOWN) {
      unacknowledged.add(last);
      return wrong;
    }
    // A number that nobody wrote says nothing about the changes before it.
    boolean isExplained = last != NONE || number == Operations.ABSENT;
    long end = last == NONE ? Long.MIN_VALUE : operations.left(last);
    for (int each : changes) {
      if (isExplained && operations.isAcknowledged(each) && operations.start(each) > end) {
        boolean isDeletion = operations.kind(each) == Operations.Kind.DELETE;
        if (!isDeletion || number != Operations.ABSENT) {
          wrong.add(new Finding(isDeletion ? Kind.RESURRECTED : Kind.LOST, entry, each, 0, text));
        }
      }
    }
    return wrong;
  }

  /** Returns the deletion that explains best why an entry is not there. */
  private int lastDeletion(int[] changes) {
    int last = NONE;
    for (int each : changes) {
      boolean isDeletion = operations.kind(each) == Operations.Kind.DELETE;
      if (isDeletion && operations.outcome(each) == Outcome.UNKNOWN) {
        return each;
      }
      if (isDeletion && operations.outcome(each) == Outcome.DONE) {
        last = each;
      }
    }
    return last;
  }

  private int change(int[] changes, int number) {
    for (int each : changes) {
      if (operations.effect(each) == number) {
        return each;
      }
    }
    return NONE;
  }

  /** Returns the last one of the changes of which a part is there. */
  private int newest(int[] changes, String values) {
    Set<Integer> numbers = new TreeSet<>();
    NUMBER.matcher(values).results().forEach(each -> numbers.add(Integer.parseInt(each.group())));
    int newest = NONE;
    for (int each : changes) {
      newest = numbers.contains(operations.effect(each)) ? each : newest;
    }
    return newest;
  }
}
