package org.nyala.core.access.decide;

import java.util.List;
import org.nyala.core.access.rule.Clause.Flow;
import org.nyala.core.rights.Rights;

/**
 * The rights that a client has whatever the outcome of the tests that remain, and those that it has
 * by some outcome: rather too few of the former and too many of the latter, found in one pass.
 *
 * <p>Confined to one thread.
 */
final class Bounds {
  private final boolean isAboutValues;
  private int always = Rights.ALL;
  private int ever = Rights.NONE;

  /** The bounds of the rights found so far, where later rules are asked. */
  private int least = Rights.NONE;

  private int most = Rights.NONE;

  /** Set if there is an outcome by which later rules are asked. */
  private boolean isOpen = true;

  /** The bounds of those found by clauses that break, while a rule is asked. */
  private int leastBroken;

  private int mostBroken;
  private boolean hasBroken;

  private Bounds(boolean isAboutValues) {
    this.isAboutValues = isAboutValues;
  }

  /**
   * Finds the bounds for a thing.
   *
   * @param isAboutValues true if single values are asked about, any of them; else the whole
   */
  static Bounds of(Program program, Subject subject, boolean isAboutValues) {
    Bounds bounds = new Bounds(isAboutValues);
    List<LiveRule> rules = program.rules();
    for (int i = 0; i < rules.size() && bounds.isOpen; i++) {
      LiveRule live = rules.get(i);
      boolean isPassedOver = live.rule().hasValueCheck() && !isAboutValues;
      if (live.rule().covers(subject) && !isPassedOver) {
        bounds.ask(live);
      }
    }
    if (bounds.isOpen) {
      bounds.end(bounds.least, bounds.most);
    }
    return bounds;
  }

  /** The rights by every outcome. */
  int always() {
    return always;
  }

  /** The rights by some outcome. */
  int ever() {
    return ever;
  }

  private void end(int from, int to) {
    always &= from;
    ever |= to;
  }

  private void ask(LiveRule live) {
    boolean mayBePassedOver = !live.checks().isEmpty() || live.rule().hasValueCheck();
    int leastBefore = least;
    int mostBefore = most;
    hasBroken = false;
    askClauses(live);
    isOpen = hasBroken || mayBePassedOver;
    if (hasBroken) {
      least = mayBePassedOver ? leastBefore & leastBroken : leastBroken;
      most = mayBePassedOver ? mostBefore | mostBroken : mostBroken;
    } else {
      least = leastBefore;
      most = mostBefore;
    }
  }

  private void askClauses(LiveRule live) {
    boolean fitsSurely = false;
    boolean fitsPerhaps = false;
    for (LiveRule.Part part : live.clauses()) {
      if (part.isForOwnValue() && !isAboutValues) {
        continue;
      }
      int from = live.rule().apply(part.number(), least);
      int to = live.rule().apply(part.number(), most);
      boolean isSure = part.fitsAll();
      switch (live.rule().flow(part.number())) {
        case STOP -> end(from, to);
        case BREAK -> breakWith(from, to);
        case CONTINUE -> {
          least = isSure ? from : least & from;
          most = isSure ? to : most | to;
          fitsSurely |= isSure;
          fitsPerhaps = true;
        }
      }
      if (isSure && live.rule().flow(part.number()) != Flow.CONTINUE) {
        return;
      }
    }
    if (fitsPerhaps) {
      end(least, most);
    }
    if (!fitsSurely) {
      end(Rights.NONE, Rights.NONE);
    }
  }

  private void breakWith(int from, int to) {
    leastBroken = hasBroken ? leastBroken & from : from;
    mostBroken = hasBroken ? mostBroken | to : to;
    hasBroken = true;
  }
}
