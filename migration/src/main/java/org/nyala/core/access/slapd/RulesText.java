package org.nyala.core.access.slapd;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Consumer;
import org.nyala.core.access.rule.Clause;
import org.nyala.core.access.rule.Clause.Flow;
import org.nyala.core.access.rule.Condition;
import org.nyala.core.access.rule.DnPattern;
import org.nyala.core.access.rule.Grant;
import org.nyala.core.access.rule.Grant.Mode;
import org.nyala.core.access.rule.LimitStatement;
import org.nyala.core.access.rule.Place;
import org.nyala.core.access.rule.Rule;
import org.nyala.core.access.rule.RulesPrinter;
import org.nyala.core.access.rule.Scope;
import org.nyala.core.access.rule.Source;
import org.nyala.core.access.rule.Target;
import org.nyala.core.dn.Dn;
import org.nyala.core.rights.Right;
import org.nyala.core.slapd.SlapdDatabase;
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

  /**
   * Chooses the clauses for a rule whose target can be said, so that nobody gets more than from
   * slapd's. A clause whose clients cannot be said is said for those of them who can, or left out,
   * if nobody could get more by what follows; else all others who might be meant get nothing.
   *
   * <p>Confined to one thread.
   */
  private static final class ClauseChoice {
    private final SlapdRule rule;
    private final Ceiling ceiling;
    private final Consumer<String> unsaid;
    private final List<Clause> chosen = new ArrayList<>();

    /**
     * Starts with a rule.
     *
     * @param ceiling what may be left by rules before, and given by rules after
     * @param unsaid receives what is not said, and why
     */
    ClauseChoice(SlapdRule rule, Ceiling ceiling, Consumer<String> unsaid) {
      this.rule = rule;
      this.ceiling = ceiling;
      this.unsaid = unsaid;
    }

    /** Returns the clauses, at least one. */
    List<Clause> clauses() {
      for (int i = 0; i < rule.clauses().size() && !isDecided(); i++) {
        SlapdRule.ByClause clause = rule.clauses().get(i);
        if (!clause.subjects().isNobody()) {
          choose(clause, i);
        }
      }
      // Without a fitting clause after one that continues, slapd gives nothing.
      boolean continues = chosen.stream().anyMatch(clause -> clause.flow() == Flow.CONTINUE);
      if (chosen.isEmpty() || continues && !isDecided()) {
        add(List.of(), SlapdRule.ByClause.NOTHING, Flow.STOP);
      }
      return chosen;
    }

    private boolean isDecided() {
      return !chosen.isEmpty()
          && chosen.getLast().conditions().isEmpty()
          && chosen.getLast().flow() != Flow.CONTINUE;
    }

    private void add(List<Condition> who, Grant grant, Flow flow) {
      chosen.add(new Clause(who, grant, flow, rule.directive().source()));
    }

    private void choose(SlapdRule.ByClause clause, int index) {
      Subjects subjects = clause.subjects();
      if (subjects.isExact()) {
        add(subjects.wide(), clause.grant(), clause.flow());
      } else if (isAtLeastWhatFollows(clause, index)) {
        if (subjects.narrow() == null) {
          report(clause, "left out");
        } else {
          report(clause, "said for fewer users", subjects.narrowings());
          add(subjects.narrow(), clause.grant(), clause.flow());
        }
      } else if (clause.isDenial() || takesAway(clause)) {
        report(clause, "taken for all who might be meant");
        add(subjects.wide(), clause.grant(), clause.flow());
      } else {
        // Rights of a clause that continues would be taken by the next one, which names all.
        List<Condition> kept = clause.flow() == Flow.CONTINUE ? null : subjects.narrow();
        String who = kept == null ? "all" : "others";
        report(clause, who + " who might be meant get nothing, as what follows could give more");
        if (kept != null) {
          add(kept, clause.grant(), clause.flow());
        }
        add(subjects.wide(), SlapdRule.ByClause.NOTHING, Flow.STOP);
      }
    }

    private void report(SlapdRule.ByClause clause, String consequence) {
      report(clause, consequence, clause.subjects().reasons());
    }

    private void report(SlapdRule.ByClause clause, String consequence, List<String> reasons) {
      for (String reason : reasons) {
        unsaid.accept("'" + clause.text() + "' " + consequence + ": " + reason);
      }
    }

    private static boolean takesAway(SlapdRule.ByClause clause) {
      return clause.flow() == Flow.CONTINUE && clause.grant().mode() == Mode.REMOVE;
    }

    /* Returns true if those who fit could not get more by not fitting. */
    private boolean isAtLeastWhatFollows(SlapdRule.ByClause clause, int index) {
      Set<Right> found = found(index);
      Set<Right> rights = clause.grant().rights();
      Set<Right> following = following(index + 1);
      return switch (clause.flow()) {
        case STOP ->
            switch (clause.grant().mode()) {
              case SET -> rights.containsAll(Ceiling.union(following, found));
              case ADD -> rights.containsAll(following);
              case REMOVE -> following.isEmpty() && found.isEmpty();
            };
        case CONTINUE ->
            switch (clause.grant().mode()) {
              case SET -> rights.containsAll(found);
              case ADD -> true;
              case REMOVE -> found.stream().noneMatch(rights::contains);
            };
        case BREAK -> following.isEmpty() && found.isEmpty();
      };
    }

    /** Returns the most that may have been found before a clause. */
    private Set<Right> found(int index) {
      Set<Right> found = EnumSet.noneOf(Right.class);
      found.addAll(ceiling.before());
      for (SlapdRule.ByClause before : rule.clauses().subList(0, index)) {
        if (before.flow() == Flow.CONTINUE) {
          found.addAll(before.given());
        }
      }
      return found;
    }

    /** Returns the most that clauses from an index on may give, and the rules that they lead to. */
    private Set<Right> following(int index) {
      Set<Right> following = EnumSet.noneOf(Right.class);
      following.addAll(rule.givenFrom(index));
      if (rule.has(Flow.BREAK, index)) {
        following.addAll(ceiling.after());
      }
      return following;
    }
  }

  /**
   * Chooses the clauses for a rule that covers more than slapd's, so that nobody gets more: clients
   * whom slapd's rule gives at least what later ones could are let pass to those, others get
   * nothing.
   *
   * <p>Confined to one thread.
   */
  private static final class WideChoice {
    private final SlapdRule rule;
    private final Ceiling ceiling;
    private final List<Clause> chosen = new ArrayList<>();

    /* True if a clause that continues may have left less than was found before it. */
    private boolean isLowered;

    /**
     * Starts with a rule.
     *
     * @param ceiling what may be left by rules before, and given by rules after
     */
    WideChoice(SlapdRule rule, Ceiling ceiling) {
      this.rule = rule;
      this.ceiling = ceiling;
    }

    /** Returns the clauses; none if everybody is let pass, so that no rule is needed. */
    List<Clause> clauses() {
      for (SlapdRule.ByClause clause : rule.clauses()) {
        if (!isDecided() && !clause.subjects().isNobody()) {
          choose(clause);
        }
      }
      if (!isDecided()) {
        add(List.of(), false);
      }
      boolean letsAllPass = chosen.stream().allMatch(clause -> clause.flow() == Flow.BREAK);
      return letsAllPass ? List.of() : chosen;
    }

    private boolean isDecided() {
      return !chosen.isEmpty() && chosen.getLast().conditions().isEmpty();
    }

    private void choose(SlapdRule.ByClause clause) {
      if (clause.flow() == Flow.CONTINUE) {
        isLowered |= clause.grant().mode() != Mode.ADD;
        return;
      }
      boolean passes = passes(clause);
      Subjects subjects = clause.subjects();
      if (!passes) {
        add(subjects.wide(), false);
      } else if (subjects.narrow() != null) {
        add(subjects.narrow(), true);
      }
    }

    private void add(List<Condition> who, boolean passes) {
      Grant grant = passes ? Grant.UNCHANGED : SlapdRule.ByClause.NOTHING;
      chosen.add(
          new Clause(who, grant, passes ? Flow.BREAK : Flow.STOP, rule.directive().source()));
    }

    private boolean passes(SlapdRule.ByClause clause) {
      Set<Right> rights = clause.grant().rights();
      return switch (clause.grant().mode()) {
        case SET ->
            clause.flow() == Flow.STOP
                ? rights.containsAll(ceiling.all())
                : rights.containsAll(ceiling.before());
        case ADD ->
            !isLowered && (clause.flow() == Flow.BREAK || rights.containsAll(ceiling.after()));
        case REMOVE -> false;
      };
    }
  }

  /**
   * The part of slapd's {@code require} that rules have to say: it refuses every operation of
   * clients that have not bound, but binds, whatever its access rules give them.
   */
  static final class UnboundClients {
    private static final Set<String> BOUND = Set.of("bind", "authc", "sasl", "strong");

    private UnboundClients() {}

    /** Returns whether a section serves only clients that have bound. */
    static boolean areRefused(SlapdDatabase section) {
      boolean isRefused = false;
      for (SlapdDirective directive : section.directives("require")) {
        for (String word : directive.words()) {
          isRefused |= BOUND.contains(word.toLowerCase(Locale.ROOT));
        }
      }
      return isRefused;
    }

    /**
     * Returns clauses by which clients that have not bound may authenticate and nothing else, and
     * others get what they had.
     */
    static List<Clause> refuse(List<Clause> clauses) {
      List<Clause> all = new ArrayList<>();
      for (Clause clause : clauses) {
        boolean isRestricted = fits(clause) && givesMore(clause.grant());
        if (isRestricted) {
          all.add(restricted(clause));
        }
        if (!clause.conditions().contains(Condition.Plain.ANONYMOUS)
            || !givesMore(clause.grant())) {
          all.add(isRestricted && clause.flow() == Flow.CONTINUE ? ofBound(clause) : clause);
        }
      }
      return all;
    }

    /* All other conditions are about a name, or the way in which a client has bound. */
    private static boolean fits(Clause clause) {
      return clause.conditions().stream()
          .allMatch(
              condition ->
                  condition == Condition.Plain.ANONYMOUS
                      || condition instanceof Condition.From
                      || condition instanceof Condition.Over);
    }

    private static boolean givesMore(Grant grant) {
      return grant.mode() != Mode.REMOVE
          && grant.rights().stream().anyMatch(right -> right != Right.AUTHENTICATE);
    }

    /* Clients that have not bound come from the restricted clause to the next one. */
    private static Clause ofBound(Clause clause) {
      List<Condition> conditions = new ArrayList<>(clause.conditions());
      conditions.addFirst(Condition.Plain.USERS);
      return new Clause(conditions, clause.grant(), clause.flow(), clause.source());
    }

    private static Clause restricted(Clause clause) {
      List<Condition> conditions = new ArrayList<>(clause.conditions());
      if (!conditions.contains(Condition.Plain.ANONYMOUS)) {
        conditions.addFirst(Condition.Plain.ANONYMOUS);
      }
      Set<Right> rights = EnumSet.noneOf(Right.class);
      if (clause.grant().rights().contains(Right.AUTHENTICATE)) {
        rights.add(Right.AUTHENTICATE);
      }
      Grant grant = new Grant(clause.grant().mode(), rights);
      return new Clause(conditions, grant, clause.flow(), clause.source());
    }
  }

  /**
   * The most rights that anybody may have at a place among rules of slapd, whatever fits.
   *
   * <p>Immutable.
   *
   * @param before the rights that rules before may have left by saying {@code break}
   * @param after the rights that rules after may give
   */
  record Ceiling(Set<Right> before, Set<Right> after) {
    Ceiling {
      before = Collections.unmodifiableSet(union(before, Set.of()));
      after = Collections.unmodifiableSet(union(after, Set.of()));
    }

    static Set<Right> union(Set<Right> one, Set<Right> other) {
      EnumSet<Right> both = EnumSet.noneOf(Right.class);
      both.addAll(one);
      both.addAll(other);
      return both;
    }

    /** Returns the rights that rules may leave to those after them. */
    static Set<Right> left(List<SlapdRule> rules) {
      EnumSet<Right> left = EnumSet.noneOf(Right.class);
      for (SlapdRule rule : rules) {
        if (rule.has(Flow.BREAK, 0)) {
          left.addAll(rule.givenFrom(0));
        }
      }
      return left;
    }

    static Set<Right> given(List<SlapdRule> rules) {
      EnumSet<Right> given = EnumSet.noneOf(Right.class);
      rules.forEach(rule -> given.addAll(rule.givenFrom(0)));
      return given;
    }

    /** Returns what may be left and given together. */
    Set<Right> all() {
      return union(before, after);
    }
  }
}
