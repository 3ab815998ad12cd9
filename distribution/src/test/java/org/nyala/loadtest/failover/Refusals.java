package org.nyala.loadtest.failover;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.nyala.loadtest.failover.Operations.Kind;
import org.nyala.loadtest.failover.Operations.Outcome;

/**
 * A search for refusals by entries that were old: a server that has lost the leadership may refuse
 * by what it had.
 *
 * <p>Confined to the thread that checks.
 */
final class Refusals {
  /** No such attribute, no such object, entry already exists: results that entries decide. */
  private static final Set<Integer> OF_ENTRIES = Set.of(16, 32, 68);

  private static final int ASSERTION_FAILED = 122;

  /** The time after which a change without an answer is made no more: servers wait for 5 s. */
  private static final long FORGOTTEN_NANOS = 20_000_000_000L;

  private final Operations operations;
  private final Map<Integer, Integer> required;
  private final List<Integer> wrong = new ArrayList<>();
  private long checked;

  private Refusals(Operations operations, Map<Integer, Integer> required) {
    this.operations = operations;
    this.required = required;
  }

  /**
   * The result of the search.
   *
   * @param checked the refusals and reads of which the right answer is known
   * @param wrong the places of those with another one
   */
  record Result(long checked, List<Integer> wrong) {}

  /**
   * Checks a history, which is indexed.
   *
   * @param required the number that a change of a shared entry is made upon, by its own number
   */
  static Result of(History history, Map<Integer, Integer> required) {
    Refusals all = new Refusals(history.operations(), required);
    for (int register = 0; register < history.registers(); register++) {
      all.checkShared(history.of(register));
    }
    for (int entry = history.registers(); entry < history.entries(); entry++) {
      all.checkOwn(history.of(entry));
    }
    return new Result(all.checked, all.wrong);
  }

  private void check(int at, boolean isRight) {
    checked++;
    if (!isRight) {
      wrong.add(at);
    }
  }

  /**
   * Checks an entry of one client, which does one thing after the other: as long as each change was
   * acknowledged, no entry gives a reason to refuse the next one, and a read at the server of all
   * of them returns the last one.
   */
  private void checkOwn(int[] all) {
    int last = Operations.ABSENT;
    int server = Operations.ABSENT;
    boolean isOfOne = true;
    for (int at : all) {
      isOfOne &= server < 0 || server == operations.server(at);
      server = operations.server(at);
      Outcome outcome = operations.outcome(at);
      if (operations.kind(at) == Kind.READ) {
        if (isOfOne && outcome == Outcome.DONE) {
          check(at, operations.number(at) == last);
        }
      } else if (outcome == Outcome.UNKNOWN) {
        return;
      } else {
        check(at, outcome == Outcome.DONE || !OF_ENTRIES.contains(operations.code(at)));
        last = outcome == Outcome.DONE ? operations.effect(at) : last;
      }
    }
  }

  /**
   * Checks failed assertions of an entry that many change. One is wrong if a change to the required
   * number was acknowledged before, and no other change can have come between: all others ended
   * before that one began, or began after the refusal, or have had no answer for long.
   */
  private void checkShared(int[] all) {
    for (int at : all) {
      Integer number = required.get(operations.number(at));
      boolean isFailed =
          operations.isChange(at)
              && operations.outcome(at) == Outcome.REFUSED
              && operations.code(at) == ASSERTION_FAILED;
      int made = isFailed && number != null ? acknowledged(all, number, at) : -1;
      if (made >= 0 && isUntouched(all, made, at)) {
        check(at, false);
      } else if (isFailed) {
        checked++;
      }
    }
  }

  /** Returns the change to a number that was acknowledged before an operation; -1 if none was. */
  private int acknowledged(int[] all, int number, int before) {
    for (int at : all) {
      if (operations.isAcknowledged(at)
          && operations.number(at) == number
          && operations.end(at) < operations.start(before)) {
        return at;
      }
    }
    return -1;
  }

  private boolean isUntouched(int[] all, int made, int refused) {
    for (int at : all) {
      boolean isPossible =
          at != made && operations.isChange(at) && operations.outcome(at) != Outcome.REFUSED;
      boolean isForgotten =
          operations.outcome(at) == Outcome.UNKNOWN
              && operations.left(at) + FORGOTTEN_NANOS < operations.start(made);
      boolean isBefore = operations.end(at) < operations.start(made);
      boolean isAfter = operations.start(at) > operations.end(refused);
      if (isPossible && !isForgotten && !isBefore && !isAfter) {
        return false;
      }
    }
    return true;
  }

  /** Returns how often changes of shared and own entries were refused with each code. */
  static Map<Integer, Long> codes(Operations operations) {
    Map<Integer, Long> codes = new java.util.TreeMap<>();
    for (int at = 0; at < operations.size(); at++) {
      if (operations.isChange(at) && operations.outcome(at) != Outcome.DONE) {
        codes.merge(operations.code(at), 1L, Long::sum);
      }
    }
    return codes;
  }
}
