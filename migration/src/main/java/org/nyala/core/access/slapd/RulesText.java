package org.nyala.core.access.slapd;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.nyala.core.access.rule.Clause;
import org.nyala.core.access.rule.Clause.Flow;
import org.nyala.core.access.rule.Condition;
import org.nyala.core.access.rule.DnPattern;
import org.nyala.core.access.rule.LimitStatement;
import org.nyala.core.access.rule.Place;
import org.nyala.core.access.rule.Rule;
import org.nyala.core.access.rule.RulesPrinter;
import org.nyala.core.access.rule.Scope;
import org.nyala.core.access.rule.Source;
import org.nyala.core.access.rule.Target;
import org.nyala.core.dn.Dn;
import org.nyala.core.slapd.SlapdDirective;

/**
 * The text of imported rules while it is written: each below the lines that it comes from.
 *
 * <p>Confined to one thread.
 */
final class RulesText {
  private static final Place ROOT = new Place(Scope.ENTRY, DnPattern.of(Dn.EMPTY));
  private static final Place BELOW_ROOT = new Place(Scope.BELOW, DnPattern.of(Dn.EMPTY));

  private final Wording wording;
  private final StringBuilder text = new StringBuilder();
  private final Set<ImportedRules.Unsaid> unsaid = new LinkedHashSet<>();
  private final Set<Source> shown = new HashSet<>();
  private boolean hasBreak;
  private boolean refusesUnbound;

  RulesText(Wording wording) {
    this.wording = wording;
  }

  /** Sets whether clients that have not bound get nothing by the rules that follow but a bind. */
  void refuseUnbound(boolean isRefused) {
    if (isRefused && !refusesUnbound) {
      heading("slapd serves only clients that have bound here (require).");
    }
    refusesUnbound = isRefused;
  }

  /** Writes a comment of its own line, after an empty one. */
  void heading(String comment) {
    text.append(text.isEmpty() ? "" : "\n");
    comment(comment);
  }

  /** Writes a comment of its own line. */
  void comment(String comment) {
    text.append(("# " + safe(comment)).stripTrailing()).append('\n');
  }

  private static String safe(String line) {
    return line.replace('\t', ' ').replaceAll("[\\p{Cntrl}\\p{Cs}]", "?").stripTrailing();
  }

  /** Writes the lines of a directive as comments, if they are not there yet. */
  void directive(SlapdDirective directive) {
    text.append('\n');
    String place = ImportedRules.Unsaid.place(directive.source());
    if (!shown.add(directive.source())) {
      comment(place + ", as above");
      return;
    }
    for (String comment : directive.comments()) {
      boolean isMarked = comment.startsWith("#");
      text.append(isMarked ? safe(comment) : "# " + safe(comment)).append('\n');
    }
    String prefix = place + ": ";
    for (String line : directive.lines()) {
      comment(prefix + line);
      prefix = "  ";
    }
  }

  /** Reports that something is not said as slapd has it, and notes it in the text. */
  void unsaid(SlapdDirective directive, String reason) {
    ImportedRules.Unsaid each = new ImportedRules.Unsaid(directive.source(), reason);
    unsaid.add(each);
    comment("Not said: " + each.reason());
  }

  /** Writes what a rule of slapd becomes. */
  void rule(SlapdRule rule, Ceiling ceiling) {
    directive(rule.directive());
    Consumer<String> report = reason -> unsaid(rule.directive(), reason);
    rule.what().notes().forEach(report);
    if (rule.what().isNothing()) {
      comment("Covers nothing here.");
      return;
    }
    if (rule.what().isExact()) {
      write(rule, new ClauseChoice(rule, ceiling, report).clauses());
      return;
    }
    rule.what().reasons().forEach(report);
    List<Clause> clauses = new WideChoice(rule, ceiling).clauses();
    if (clauses.isEmpty()) {
      comment("Left out: nobody gets more by the rules after it.");
    } else {
      comment("Covers more than meant: nobody gets more than by slapd's rule and those after it.");
      write(rule, clauses);
    }
  }

  /* Below the root DSE, slapd finds nobody: it has no such levels. */
  private void write(SlapdRule rule, List<Clause> clauses) {
    Target target = rule.what().target();
    boolean hasLevels = clauses.stream().anyMatch(RulesText::isBelow);
    boolean hasRoot = target.place().equals(Place.EVERYWHERE) || target.place().equals(ROOT);
    if (!hasLevels || !hasRoot) {
      write(rule, target, clauses);
      return;
    }
    List<Clause> others = new ArrayList<>(clauses);
    others.removeIf(RulesText::isBelow);
    if (others.isEmpty()) {
      others.add(denial(rule.directive().source()));
    }
    write(rule, at(ROOT, target), others);
    if (!target.place().equals(ROOT)) {
      write(rule, at(BELOW_ROOT, target), clauses);
    }
  }

  private static boolean isBelow(Clause clause) {
    return clause.conditions().stream().anyMatch(Condition.Descendant.class::isInstance);
  }

  private static Target at(Place place, Target target) {
    return new Target(place, target.where(), target.attributes(), target.value());
  }

  private static Clause denial(Source source) {
    return new Clause(List.of(), SlapdRule.ByClause.NOTHING, Flow.STOP, source);
  }

  private void write(SlapdRule rule, Target target, List<Clause> given) {
    List<Clause> clauses = refusesUnbound ? UnboundClients.refuse(given) : given;
    Source source = rule.directive().source();
    String printed = RulesPrinter.print(new Rule(target, clauses, source));
    String refusal = wording.refusal(printed);
    if (refusal != null) {
      unsaid(rule.directive(), "nobody gets anything: " + refusal);
      printed = RulesPrinter.print(new Rule(target, List.of(denial(source)), source));
    }
    text.append(printed);
    hasBreak |= clauses.stream().anyMatch(clause -> clause.flow() == Flow.BREAK);
  }

  /** Writes a rule of one clause for everybody, which slapd has without a line. */
  void rule(Place place, Clause clause) {
    Target target = at(place, Target.ALL);
    List<Clause> clauses = List.of(clause);
    clauses = refusesUnbound ? UnboundClients.refuse(clauses) : clauses;
    text.append(RulesPrinter.print(new Rule(target, clauses, Source.NONE)));
  }

  /** Writes the rule that slapd has at the end, if one before could lead to it. */
  void end() {
    if (hasBreak) {
      heading("slapd gives nothing if the last rule says break.");
      rule(Place.EVERYWHERE, denial(Source.NONE));
    }
  }

  /** Writes a rule for a part of the tree that gives nothing. */
  void end(Place part) {
    heading("No rules of other databases count here.");
    rule(part, denial(Source.NONE));
  }

  /** Writes a limit. */
  void limit(LimitStatement limit) {
    text.append(RulesPrinter.print(limit));
  }

  List<ImportedRules.Unsaid> unsaid() {
    return List.copyOf(unsaid);
  }

  @Override
  public String toString() {
    return text.toString();
  }
}
