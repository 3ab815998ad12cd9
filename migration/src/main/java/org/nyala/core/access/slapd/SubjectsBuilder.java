package org.nyala.core.access.slapd;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.rule.Condition;
import org.nyala.core.access.rule.Place;
import org.nyala.core.access.rule.Target;

/**
 * Collects the conditions of a clause, as far as the language has them.
 *
 * <p>Confined to one thread.
 */
final class SubjectsBuilder {
  private final Wording wording;
  private final Target target;
  private final List<Condition> wide = new ArrayList<>();
  private final List<Condition> narrow = new ArrayList<>();
  private final List<String> reasons = new ArrayList<>();
  private final List<String> narrowings = new ArrayList<>();
  private Condition.@Nullable ListedIn listed;
  private boolean isNobody;
  private boolean hasNoNarrow;

  /**
   * Starts without conditions.
   *
   * @param target the target of the rule, whose captures conditions may have
   */
  SubjectsBuilder(Wording wording, Target target) {
    this.wording = wording;
    this.target = target;
  }

  /** Adds a condition that says what a word of slapd says. */
  void exactly(String word, Condition condition) {
    if (isSayable(word, condition)) {
      wide.add(condition);
      narrow.add(condition);
    }
  }

  /** Adds the condition that the entry lists the user, which some accesses do not ask for. */
  void listedIn(String word, Condition.ListedIn condition) {
    if (isSayable(word, condition)) {
      listed = condition;
    }
  }

  /** Adds conditions for the places between which the users of an expression are. */
  void between(String word, UserPattern users) {
    users.allReasons().forEach(reason -> reasons.add(word + ": " + reason));
    Place least = users.narrow();
    if (least == null) {
      hasNoNarrow = true;
    } else if (isSayable(word, new Condition.Named(least))) {
      narrow.add(new Condition.Named(least));
      users.reasons().forEach(reason -> narrowings.add(word + ": " + reason));
    }
    Place most = users.wide();
    if (most != null && isSayable(word, new Condition.Named(most))) {
      wide.add(new Condition.Named(most));
    }
  }

  /** Adds a condition that holds for those whom a word of slapd means, and perhaps for others. */
  void atLeast(String word, Condition condition, String reason) {
    if (isSayable(word, condition)) {
      wide.add(condition);
      nothing(word, reason);
    }
  }

  /** Adds nothing for a word that cannot be said. */
  void nothing(String word, String reason) {
    hasNoNarrow = true;
    reasons.add(word + ": " + reason);
  }

  /** Notes that slapd never lets the clause fit. */
  void nobody() {
    isNobody = true;
  }

  private boolean isSayable(String word, Condition condition) {
    String refusal = wording.refusal(target, List.of(condition));
    if (refusal != null) {
      nothing(word, refusal);
    }
    return refusal == null;
  }

  /**
   * Returns the clients.
   *
   * @param isOwn whether the clause is for the value that is the user's own name: then slapd does
   *     not ask if the entry lists the user
   */
  Subjects subjects(boolean isOwn) {
    if (listed != null && !isOwn) {
      wide.add(listed);
      narrow.add(listed);
    }
    Subjects all = new Subjects(isNobody, wide, hasNoNarrow ? null : narrow, reasons, narrowings);
    return isOwn ? all.ofOwnValue() : all;
  }
}
