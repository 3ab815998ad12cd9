package org.nyala.core.access.slapd;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.rule.Condition;
import org.nyala.core.access.rule.Condition.Plain;

/**
 * The clients that a clause of slapd is for, as near as the language comes: exactly these, or those
 * among whom they are.
 *
 * <p>Immutable.
 *
 * @param isNobody whether slapd never lets the clause fit
 * @param wide conditions that hold for them, and perhaps for others
 * @param narrow conditions that hold for some of them and nobody else; null if there are none
 * @param reasons the reasons why the two differ; none if they are the same
 * @param narrowings the reasons to tell of if {@code narrow} is said: somebody may be left out
 */
record Subjects(
    boolean isNobody,
    List<Condition> wide,
    @Nullable List<Condition> narrow,
    List<String> reasons,
    List<String> narrowings) {
  Subjects {
    wide = List.copyOf(wide);
    narrow = narrow == null ? null : List.copyOf(narrow);
    reasons = List.copyOf(reasons);
    narrowings = List.copyOf(narrowings);
  }

  /** Returns clients of whom nothing is known. */
  static Subjects unknown(String reason) {
    return new Subjects(false, List.of(), null, List.of(reason), List.of());
  }

  /** Returns whether the conditions say exactly who is meant. */
  boolean isExact() {
    return wide.equals(narrow);
  }

  /** Returns the same for the one value that is the user's own name. */
  Subjects ofOwnValue() {
    List<Condition> own = narrow == null ? null : withOwn(narrow);
    return new Subjects(isNobody, withOwn(wide), own, reasons, narrowings);
  }

  private static List<Condition> withOwn(List<Condition> conditions) {
    List<Condition> own = new ArrayList<>(conditions);
    own.add(Plain.OWN_VALUE);
    return own;
  }
}
