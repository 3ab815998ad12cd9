package org.nyala.core.access.decide;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.decide.ClientRule.Residual;
import org.nyala.core.access.rule.DnPattern;
import org.nyala.core.access.rule.Group;
import org.nyala.core.dn.Dn;

/**
 * The entries directly below a name, or the one entry that has no name: decides what is the same
 * for all of them, so that own RDNs remain to be tested.
 *
 * <p>Immutable.
 */
final class Level {
  private static final String VALUE = "=";

  private final @Nullable Dn user;
  private final @Nullable Dn parent;
  private final int depth;

  /**
   * Creates a level.
   *
   * @param user the user's name; null for anonymous
   * @param parent the name of the entries' parent; null for the entry without a name
   */
  Level(@Nullable Dn user, @Nullable Dn parent) {
    this.user = user;
    this.parent = parent;
    this.depth = parent == null ? 0 : parent.rdnCount() + 1;
  }

  /** Returns what remains of the rules. */
  Program program(List<ClientRule> rules) {
    Program.Builder builder = new Program.Builder();
    for (int i = 0; i < rules.size() && !builder.isComplete(); i++) {
      CompiledRule rule = rules.get(i).rule();
      List<EntryCheck> checks = new ArrayList<>(2);
      if (covers(rule.place(), checks) && covers(rule.delegated(), checks)) {
        if (rule.filter() != CompiledRule.NO_FILTER) {
          checks.add(new EntryCheck.Matches(rule.filter()));
        }
        builder.add(rule, checks, clauses(rules.get(i)));
      }
    }
    return builder.build();
  }

  /** Adds what entries have to be to be in a place; false if none is. */
  private boolean covers(@Nullable CompiledPlace place, List<EntryCheck> checks) {
    if (place == null) {
      return true;
    }
    int levels = place.levelsUp(depth);
    if (levels < 0) {
      return false;
    }
    for (int i = levels == 0 ? 1 : 0; i < place.depth(); i++) {
      if (!place.fits(i, rdn(levels + i))) {
        return false;
      }
    }
    if (levels == 0 && depth > 0) {
      Rdn own = place.rdn(0);
      checks.add(place.isFixed(0) ? new EntryCheck.Is(own) : new EntryCheck.Begins(own));
    }
    return true;
  }

  /** The RDN of all entries at an index of their names, at least 1. */
  private byte[] rdn(int index) {
    Dn above = parent;
    if (above == null) {
      throw new IllegalArgumentException("RDN " + index + " of no name");
    }
    return above.normalizedRdn(index - 1);
  }

  private List<LiveRule.Part> clauses(ClientRule rule) {
    List<LiveRule.Part> clauses = new ArrayList<>(rule.clauses().size());
    for (ClientRule.Part clause : rule.clauses()) {
      List<EntryCheck> checks = new ArrayList<>(clause.residuals().size());
      boolean mayFit = true;
      for (Residual residual : clause.residuals()) {
        mayFit = mayFit && holds(residual, rule.rule(), checks);
      }
      if (mayFit) {
        clauses.add(new LiveRule.Part(clause.number(), clause.isForOwnValue(), checks));
      }
    }
    return clauses;
  }

  /** Adds what entries have to be for a condition to hold; false if it holds for none. */
  private boolean holds(Residual residual, CompiledRule rule, List<EntryCheck> checks) {
    return switch (residual) {
      case Residual.Named named -> isNamed(named.name(), checks);
      case Residual.Below below -> isBelow(below.levels());
      case Residual.Captured captured -> isCaptured(captured, rule, checks);
      case Residual.InGroup in -> checks.add(member(in.group(), rule));
      case Residual.Matching matching -> checks.add(new EntryCheck.Matches(matching.filter()));
    };
  }

  private boolean isNamed(Dn name, List<EntryCheck> checks) {
    if (depth == 0 || name.rdnCount() != depth) {
      return depth == name.rdnCount();
    }
    return name.parent().equals(parent)
        && checks.add(new EntryCheck.Is(new Rdn(name.normalizedRdn(0))));
  }

  private boolean isBelow(int levels) {
    return parent != null && levels <= depth && parent.ancestor(levels - 1).equals(user);
  }

  private boolean isCaptured(
      Residual.Captured captured, CompiledRule rule, List<EntryCheck> checks) {
    CompiledPlace place = rule.place();
    int index = place == null ? -1 : place.indexOf(captured.capture());
    if (place == null || index < 0) {
      throw new IllegalArgumentException("no capture {" + captured.capture() + '}');
    }
    Rdn wanted = place.rdn(index).with(captured.value());
    int at = place.levelsUp(depth) + index;
    if (at == 0) {
      return checks.add(new EntryCheck.Is(wanted));
    }
    byte[] rdn = rdn(at);
    return wanted.isSame(rdn, rdn.length);
  }

  /** Returns the test for a group whose name has captures; at most one is of the own RDN. */
  private EntryCheck member(Group group, CompiledRule rule) {
    StringBuilder text = new StringBuilder();
    String before = null;
    DnPattern name = group.name();
    for (int i = 0; i < name.dn().rdnCount(); i++) {
      String rdn = text(name.dn().rdn(i));
      text.append(i == 0 ? "" : ",");
      String capture = name.captureAt(i);
      if (capture == null) {
        text.append(rdn);
        continue;
      }
      text.append(rdn, 0, rdn.indexOf(VALUE) + 1);
      String value = value(capture, rule);
      if (value == null) {
        before = text.toString();
        text.setLength(0);
      } else {
        text.append(value);
      }
    }
    return before == null
        ? new EntryCheck.Member(group, text.toString(), null)
        : new EntryCheck.Member(group, before, text.toString());
  }

  /** The value of a capture as it is written in names; null if it is that of the own RDN. */
  private @Nullable String value(String capture, CompiledRule rule) {
    CompiledPlace place = rule.place();
    int at = place == null ? -1 : place.levelsUp(depth) + place.indexOf(capture);
    if (at <= 0 || parent == null) {
      return null;
    }
    return valueOf(text(parent.rdn(at - 1)));
  }

  /** The value of an RDN of one value, as it is written. */
  static String valueOf(String rdn) {
    return rdn.substring(rdn.indexOf(VALUE) + 1);
  }

  private static String text(byte[] utf8) {
    return new String(utf8, StandardCharsets.UTF_8);
  }
}
