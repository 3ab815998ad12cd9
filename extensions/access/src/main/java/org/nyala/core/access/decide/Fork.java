package org.nyala.core.access.decide;

import org.jspecify.annotations.Nullable;

/**
 * A test that is to be made next, and what follows from its result.
 *
 * <p>Thread-safe: what follows is computed once, or several times with the same result.
 */
final class Fork implements Node {
  private final DecidedRules rules;
  private final Program program;
  private final EntryCheck check;
  private @Nullable Node passed;
  private @Nullable Node failed;

  Fork(DecidedRules rules, Program program, EntryCheck check) {
    this.rules = rules;
    this.program = program;
    this.check = check;
  }

  EntryCheck check() {
    return check;
  }

  Node after(boolean result) {
    Node known = result ? passed : failed;
    if (known == null) {
      known = rules.node(program.after(each -> each.equals(check) ? result : null));
      if (rules.hasRoom()) {
        keep(result, known);
      }
    }
    return known;
  }

  private void keep(boolean result, Node node) {
    if (result) {
      passed = node;
    } else {
      failed = node;
    }
  }
}
