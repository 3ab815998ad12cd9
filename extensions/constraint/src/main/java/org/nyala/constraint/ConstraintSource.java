package org.nyala.constraint;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;
import org.nyala.core.filter.Pace;
import org.nyala.core.integrity.ChangeRule;
import org.nyala.core.limits.ServerLimits;
import org.nyala.extension.Command;
import org.nyala.extension.Directory;
import org.nyala.extension.Extension;
import org.nyala.extension.ExtensionSource;
import org.nyala.extension.Hooks;
import org.nyala.extension.Meter;
import org.nyala.extension.OverlayTranslator;
import org.nyala.extension.Section;

/**
 * The source of the extension {@code constraint}, which reads {@code nyala.constraint.rules}.
 *
 * <p>Immutable.
 */
public final class ConstraintSource implements ExtensionSource {
  /**
   * Rules of a configuration. A rename checks all of them, while other updates wait for it; slapd's
   * configurations have some ten.
   */
  static final int MAXIMUM_RULES = 200;

  private static final String NAME = "constraint";

  /** Called by the server. */
  public ConstraintSource() {}

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public String version() {
    return "1.0";
  }

  @Override
  public String builtWith() {
    return INTERFACE;
  }

  @Override
  public Optional<Configured> read(Section section) {
    List<ConfiguredRule> rules = new ArrayList<>();
    for (Section rule : section.sections("rules")) {
      rules.add(ConfiguredRule.read(rule));
    }
    if (rules.size() > MAXIMUM_RULES) {
      throw section.problem("rules", "expected at most " + MAXIMUM_RULES + " rules");
    }
    if (rules.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(new ConfiguredRules(List.copyOf(rules)));
  }

  @Override
  public List<OverlayTranslator> migrates() {
    return List.of(new ConstraintOverlay());
  }

  @Override
  public List<Command> commands() {
    return List.of(
        new Command(
            "expression",
            "EXPRESSION [VALUE...]",
            "Tells which values a regular expression of constraint.rules matches. Exit code 1 if it"
                + " does not match one.",
            (arguments, out, _) -> match(arguments, out)));
  }

  private static int match(List<String> arguments, PrintWriter out) {
    if (arguments.isEmpty()) {
      throw new IllegalArgumentException("expected an expression");
    }
    Expression expression = Expression.of(arguments.getFirst());
    int looks = ServerLimits.UpdateLimits.DEFAULT.ruleLookups();
    int exitCode = 0;
    for (String value : arguments.subList(1, arguments.size())) {
      Pace pace = Pace.ofLooks(looks);
      boolean isFound = expression.isFoundIn(value.getBytes(UTF_8), pace);
      String answer = pace.goesOn() ? "does not match: " : "takes too long: ";
      out.println((isFound ? "matches: " : answer) + value);
      exitCode = isFound ? exitCode : 1;
    }
    return exitCode;
  }

  /** The rules of a configuration. Immutable. */
  private record ConfiguredRules(List<ConfiguredRule> rules) implements Configured {
    @Override
    public Extension open() {
      return new Rules(rules, new LongAdder());
    }

    @Override
    public Set<String> equalityIndexes() {
      return rules.stream().flatMap(ConfiguredRule::lookedUp).collect(Collectors.toSet());
    }
  }

  /** The extension that checks changes by rules. Thread-safe. */
  private record Rules(List<ConfiguredRule> rules, LongAdder refused) implements Extension {
    @Override
    public String name() {
      return NAME;
    }

    @Override
    public String description() {
      return "The work of slapd's overlay constraint";
    }

    @Override
    public List<Meter> meters() {
      return List.of(
          Meter.counter("refused changes", "Changes that a constraint has refused.", refused::sum));
    }

    @Override
    public Hooks hooks(Directory directory) {
      List<Constraint> constraints = rules.stream().map(rule -> rule.under(directory)).toList();
      ConstraintRule rule = new ConstraintRule(directory.schema(), constraints, refused);
      return new Hooks() {
        @Override
        public List<ChangeRule> rules() {
          return List.of(rule);
        }

        @Override
        public Examination examination() {
          return rule;
        }
      };
    }
  }
}
