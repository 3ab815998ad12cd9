package org.nyala.constraint;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.PrintWriter;
import java.net.URLDecoder;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;
import org.nyala.constraint.ConfiguredRule.Constraint;
import org.nyala.core.filter.FilterParser;
import org.nyala.core.filter.Pace;
import org.nyala.core.integrity.ChangeRule;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.provider.AttributeProviders;
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

  /**
   * The overlay {@code constraint}: each line becomes a rule of {@code constraint.rules}.
   *
   * <p>Immutable.
   */
  static final class ConstraintOverlay implements OverlayTranslator {
    private static final String LOCAL = "ldap:///";
    private static final String RESTRICT = "restrict=";
    private static final int URL_PARTS = 4;

    @Override
    public String overlay() {
      return "constraint";
    }

    @Override
    public void translate(List<? extends Line> lines, Result result) {
      List<Map<String, Object>> rules = new ArrayList<>();
      for (Line line : lines) {
        if (line.name().equals("constraintattribute")) {
          translate(line, rules, result);
        }
      }
      if (!rules.isEmpty()) {
        result.set("rules", rules);
      }
    }

    /** A URL of this server: its parts as they are meant. */
    private record Url(String base, List<String> attributes, String scope, String filter) {
      /**
       * Parses a URL.
       *
       * @throws IllegalArgumentException if it is of another server, or has a wrong escape or scope
       */
      static Url of(String text) {
        if (!text.regionMatches(true, 0, LOCAL, 0, LOCAL.length())) {
          throw new IllegalArgumentException("no URL of this server");
        }
        String[] parts = text.substring(LOCAL.length()).split("\\?", URL_PARTS);
        String attributes = parts.length > 1 ? parts[1] : "";
        String scope = parts.length > 2 ? parts[2].toLowerCase(Locale.ROOT) : "";
        String filter = parts.length > 3 ? decoded(parts[3]) : "";
        return new Url(
            decoded(parts[0]),
            attributes.isEmpty() ? List.of() : List.of(attributes.split(",", -1)),
            word(scope),
            filter.isEmpty() || filter.startsWith("(") ? filter : '(' + filter + ')');
      }

      /* A plus stands for itself in the URLs of LDAP. */
      private static String decoded(String text) {
        return URLDecoder.decode(text.replace("+", "%2B"), UTF_8);
      }

      private static String word(String scope) {
        return switch (scope) {
          case "", "base" -> "base";
          case "one", "onelevel" -> "one";
          case "sub", "subtree" -> "sub";
          case "children", "subordinate" -> "children";
          default -> throw new IllegalArgumentException("a URL with a wrong scope");
        };
      }

      /** Puts base, scope and filter into a rule. */
      void put(Map<String, Object> rule, String baseKey, String scopeKey, String filterKey) {
        if (!base.isEmpty()) {
          rule.put(baseKey, base);
          if (!scope.equals("sub")) {
            rule.put(scopeKey, scope);
          }
        }
        if (!filter.isEmpty()) {
          rule.put(filterKey, filter);
        }
      }
    }

    private static void translate(Line line, List<Map<String, Object>> rules, Result result) {
      List<String> words = line.words();
      if (words.size() < 3) {
        result.missing(line, "attributes, a word and a value were expected");
        return;
      }
      try {
        Map<String, Object> rule = new LinkedHashMap<>();
        rule.put("attributes", List.of(words.get(0).split(",", -1)));
        require(rule, words.get(1).toLowerCase(Locale.ROOT), words.get(2), result);
        Url place = new Url("", List.of(), "sub", "");
        for (String extra : words.subList(3, words.size())) {
          if (!extra.regionMatches(true, 0, RESTRICT, 0, RESTRICT.length())) {
            throw new IllegalArgumentException("'" + extra + "' is not known");
          }
          place = Url.of(extra.substring(RESTRICT.length()));
          if (!place.filter().isEmpty() && testsComputed(place.filter())) {
            throw new IllegalArgumentException("its filter tests values that are computed");
          }
        }
        // Its own base, else the suffixes of its database if there are more.
        boolean isOfAll = !place.base().isEmpty() || line.suffixes().isEmpty();
        for (String base : isOfAll ? List.of(place.base()) : line.suffixes()) {
          Map<String, Object> whole = new LinkedHashMap<>(rule);
          new Url(base, List.of(), place.base().isEmpty() ? "sub" : place.scope(), place.filter())
              .put(whole, "base", "scope", "filter");
          rules.add(whole);
        }
        result.translated(line, "constraint.rules: " + words.get(0) + ' ' + words.get(1));
      } catch (IllegalArgumentException e) {
        result.missing(line, e.getMessage() + ": values are not checked by this line");
      }
    }

    private static void require(
        Map<String, Object> rule, String word, String value, Result result) {
      switch (word) {
        case "regex" -> rule.put("regex", accepted(value));
        case "negregex" -> rule.put("forbiddenRegex", accepted(value));
        case "size" -> rule.put("maximumBytes", number(value));
        case "count" -> rule.put("maximumValues", number(value));
        case "uri" -> {
          Url list = Url.of(value);
          if (list.attributes().isEmpty()) {
            throw new IllegalArgumentException("a URL without attributes");
          }
          rule.put("listAttributes", list.attributes());
          if (list.attributes().stream().anyMatch(ConstraintOverlay::isComputed)) {
            throw new IllegalArgumentException("a list of values that are computed");
          }
          list.put(rule, "listBase", "listScope", "listFilter");
          list.attributes().forEach(result::needsEquality);
        }
        case "set" -> throw new IllegalArgumentException("there are no sets");
        default -> throw new IllegalArgumentException("'" + word + "' is not known");
      }
    }

    /* Larger numbers bound nothing here either: no value is as long, and no entry has as many. */
    private static long number(String value) {
      try {
        long number = Long.parseUnsignedLong(value);
        return number < 0 ? Integer.MAX_VALUE : Math.min(number, Integer.MAX_VALUE);
      } catch (NumberFormatException e) {
        throw new IllegalArgumentException("'" + value + "' is no number", e);
      }
    }

    private static boolean testsComputed(String filter) {
      Set<String> names = new HashSet<>();
      ConfiguredRule.collect(FilterParser.parse(filter), names);
      return names.stream()
          .anyMatch(name -> !AttributeProviders.isEntryName(name) && isComputed(name));
    }

    private static boolean isComputed(String name) {
      return AttributeProviders.computedNames().contains(name.toLowerCase(Locale.ROOT));
    }

    /**
     * Returns an expression that rules take.
     *
     * @throws IllegalArgumentException if there is none
     */
    private static String accepted(String posix) {
      String expression = expression(posix);
      Expression _ = Expression.of(expression);
      // A text of blanks alone is none for the configuration.
      return expression.isBlank() ? expression.replace(" ", "[ ]") : expression;
    }

    /**
     * Returns an extended regular expression of POSIX as RE2 reads it.
     *
     * @throws IllegalArgumentException if it has what RE2 lacks
     */
    static String expression(String posix) {
      StringBuilder out = new StringBuilder();
      int at = 0;
      while (at < posix.length()) {
        char c = posix.charAt(at);
        if (c == '[') {
          int end = endOfSet(posix, at);
          String set = posix.substring(at, end);
          if (set.contains("[.") || set.contains("[=")) {
            throw new IllegalArgumentException("expressions have no [. and [= of POSIX");
          }
          out.append(set.replace("\\", "\\\\"));
          at = end;
        } else if (c == '\\' && at + 1 < posix.length()) {
          out.append(escaped(posix.charAt(at + 1)));
          at += 2;
        } else if (posix.startsWith("{,", at)) {
          out.append("{0");
          at++;
        } else {
          out.append(c);
          at++;
        }
      }
      return out.toString();
    }

    /* As the C library of GNU reads what POSIX leaves open. */
    private static String escaped(char c) {
      return switch (c) {
        case 'w', 'W', 's', 'S', 'b', 'B' -> "\\" + c;
        case '<', '>' -> "\\b";
        case '`' -> "\\A";
        case '\'' -> "\\z";
        default -> {
          if (c >= '1' && c <= '9') {
            throw new IllegalArgumentException("expressions have no back-references");
          }
          yield Character.isLetterOrDigit(c) ? String.valueOf(c) : "\\" + c;
        }
      };
    }

    /** Returns the index after a set; its first character may be the one that would end it. */
    private static int endOfSet(String posix, int start) {
      int at = start + 1;
      if (posix.startsWith("^", at)) {
        at++;
      }
      int first = at;
      while (at < posix.length() && (posix.charAt(at) != ']' || at == first)) {
        int inner = posix.startsWith("[:", at) ? posix.indexOf(":]", at) : -1;
        at = inner < 0 ? at + 1 : inner + 2;
      }
      return Math.min(at + 1, posix.length());
    }
  }
}
