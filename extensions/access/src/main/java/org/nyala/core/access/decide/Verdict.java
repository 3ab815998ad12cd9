package org.nyala.core.access.decide;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.rule.Clause;
import org.nyala.core.rights.Rights;

/**
 * The exact answer to one question about entries of which all tests have been made.
 *
 * <p>Confined to one thread.
 */
final class Verdict {
  private int rights = Rights.NONE;
  private @Nullable CompiledRule rule;
  private @Nullable Clause clause;

  private Verdict() {}

  /**
   * Answers a question.
   *
   * @param program the rules; no tests of entries remain in them
   * @param subject what is asked for
   * @param value the value of it; null for the whole
   */
  static Verdict of(Program program, Subject subject, @Nullable ValueQuestion value) {
    Verdict verdict = new Verdict();
    List<LiveRule> rules = program.rules();
    for (int i = 0; i < rules.size(); i++) {
      LiveRule live = rules.get(i);
      CompiledRule asked = live.rule();
      if (asked.covers(subject) && asked.covers(value) && !verdict.breaks(live, value)) {
        break;
      }
    }
    return verdict;
  }

  /** Asks the clauses of a rule that covers; true if the next rule is to be asked. */
  private boolean breaks(LiveRule live, @Nullable ValueQuestion value) {
    boolean fits = false;
    List<LiveRule.Part> clauses = live.clauses();
    for (int i = 0; i < clauses.size(); i++) {
      LiveRule.Part part = clauses.get(i);
      if (!part.isForOwnValue() || value != null && value.isOwn()) {
        fits = true;
        rights = live.rule().apply(part.number(), rights);
        clause = live.rule().clauses().get(part.number());
        rule = live.rule();
        switch (live.rule().flow(part.number())) {
          case STOP -> {
            return false;
          }
          case BREAK -> {
            return true;
          }
          case CONTINUE -> {}
        }
      }
    }
    if (!fits) {
      rights = Rights.NONE;
      rule = live.rule();
      clause = null;
    }
    return false;
  }

  int rights() {
    return rights;
  }

  Decision decision() {
    CompiledRule decided = rule;
    return new Decision(Rights.in(rights), decided == null ? null : decided.rule(), clause);
  }
}
