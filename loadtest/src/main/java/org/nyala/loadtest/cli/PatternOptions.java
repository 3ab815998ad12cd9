package org.nyala.loadtest.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.nyala.loadtest.ldap.Filters;
import org.nyala.loadtest.workload.JobKind;
import org.nyala.loadtest.workload.LoadSettings;
import org.nyala.loadtest.workload.PatternReader;
import org.nyala.loadtest.workload.Patterns;
import org.nyala.loadtest.workload.Table;
import org.nyala.loadtest.workload.Targets;
import org.nyala.loadtest.workload.TextPattern;
import picocli.CommandLine.Option;

/**
 * The options of what requests are about: people of the sample, or patterns for other data.
 * Confined to the thread that runs the command.
 */
final class PatternOptions {
  private static final Pattern ATTRIBUTE_VALUE =
      Pattern.compile("([A-Za-z][A-Za-z0-9;.-]*)=(.*)", Pattern.DOTALL);

  @Option(
      names = "--values",
      paramLabel = "PATTERN",
      description = "targets of requests: uid=user.[0-99999]; instead of --users")
  private @Nullable String values;

  @Option(
      names = "--names",
      paramLabel = "FILE",
      description =
          "take people from the rows of a file, over and over: DNs or values, with passwords and"
              + " other columns; for search and base also filters in parentheses")
  private @Nullable Path names;

  @Option(
      names = "--names-attribute",
      paramLabel = "NAME",
      description = "the attribute of values in --names")
  private String namesAttribute = "uid";

  @Option(
      names = {"-g", "--argument"},
      paramLabel = "GENERATOR",
      description =
          "a generator for {1} or %%d in patterns, in the order of these options: rand(0,999),"
              + " inc(0,999), randstr(16), rand(FILE)")
  private List<String> generators = List.of();

  @Option(
      names = "--person-dn",
      paramLabel = "PATTERN",
      description = "the name of a person's entry: uid={uid},ou=Staff,dc=example,dc=com")
  private @Nullable String personDn;

  @Option(
      names = "--person-password",
      paramLabel = "PATTERN",
      description = "the password of a person, which only people of the sample do without")
  private @Nullable String personPassword;

  @Option(
      names = "--new-password",
      paramLabel = "PATTERN",
      description =
          "password-modify: set this password, and with the next operation the old one again"
              + " (default: the same one)")
  private @Nullable String newPassword;

  @Option(
      names = "--filter",
      paramLabel = "PATTERN",
      description = "the filter of search, authenticate and connect: (mail={mail})")
  private @Nullable String filter;

  @Option(
      names = "--scope",
      paramLabel = "PATTERN",
      description = "the scope of their searches: base, one or sub (default: sub)")
  private @Nullable String scope;

  @Option(
      names = "--attributes",
      paramLabel = "NAME,...",
      description = "the attributes to return (default: all user attributes)")
  private @Nullable String attributes;

  @Option(
      names = "--entry",
      paramLabel = "FILE",
      description = "add, add-delete: LDIF with an entry whose values are patterns")
  private @Nullable Path entry;

  @Option(
      names = "--change",
      paramLabel = "NAME:PATTERN",
      description = "modify: a replacement; add NAME:PATTERN, delete NAME:PATTERN; may be repeated")
  private List<String> changes = List.of();

  @Option(
      names = "--order",
      paramLabel = "ORDER",
      description =
          "how people are taken: random, sequential, zipf (default: random; --names: as read)")
  private @Nullable String order;

  @Option(
      names = "--skew",
      description = "how uneven zipf is: the r-th is taken in proportion to 1/r^SKEW")
  private double skew = Targets.PEOPLE.skew();

  /**
   * The subject of requests.
   *
   * @param patterns null for people who differ by a number, or by lines
   * @param people their number; 0 if {@code --users} says it
   */
  record Subject(Targets values, @Nullable Patterns patterns, int people) {
    /** Returns whether the people are those of the sample, by their names. */
    boolean isSample() {
      return patterns == null
          && values.isPattern()
          && values.attribute().equals("uid")
          && values.prefix().equals("user.")
          && values.suffix().isEmpty();
    }
  }

  /**
   * Reads the options.
   *
   * @param jobs the kinds of operations
   * @param users the number of people of {@code --users}; 0 if it was not given
   * @throws IllegalArgumentException if they contradict each other, or are no patterns
   */
  Subject subject(Stream<JobKind> jobs, int users, String base, String parent, boolean isReplay)
      throws IOException {
    List<JobKind> kinds = jobs.toList();
    boolean logsIn = kinds.stream().anyMatch(JobKind::takesPasswords);
    if (users != 0 && (values != null || names != null)) {
      throw new IllegalArgumentException(
          "--users does not go with --values or --names, which say how many there are");
    }
    boolean mayBeNames =
        !hasPatterns() && kinds.stream().allMatch(k -> k == JobKind.SEARCH || k == JobKind.BASE);
    Table table = names == null ? null : Table.read(names, namesAttribute, mayBeNames);
    boolean isOfLines = mayBeNames && table != null && table.columns().size() == 1;
    Subject subject =
        hasPatterns()
                || values != null && !Targets.isRange(values)
                || table != null && !isOfLines
                || isPattern(base)
            ? patterns(kinds, table, users, base, parent)
            : plain(isReplay);
    requireFor(filter != null, "--filter", kinds, JobKind::searches);
    requireFor(isPattern(base), "--base with a pattern", kinds, JobKind::searches);
    requireFor(
        newPassword != null, "--new-password", kinds, kind -> kind == JobKind.PASSWORD_MODIFY);
    requireFor(!changes.isEmpty(), "--change", kinds, kind -> kind == JobKind.MODIFY);
    requireFor(
        entry != null, "--entry", kinds, kind -> kind == JobKind.ADD_DELETE || kind == JobKind.ADD);
    LoadSettings.require(
        !logsIn || subject.isSample() || hasPassword(subject),
        "--person-password",
        "the passwords of people who are not uid=user.N, unless --names has a column of them",
        "absent");
    return subject;
  }

  private static boolean isPattern(String base) {
    return base.indexOf('{') >= 0 || base.indexOf('[') >= 0;
  }

  private static void requireFor(
      boolean isGiven, String option, List<JobKind> kinds, Predicate<JobKind> uses) {
    if (isGiven && kinds.stream().noneMatch(uses)) {
      throw new IllegalArgumentException(
          option + " does not go with the job " + kinds.getFirst().label());
    }
  }

  private static boolean hasPassword(Subject subject) {
    return subject.patterns() != null && subject.patterns().password() != null;
  }

  private boolean hasPatterns() {
    return Stream.of(personDn, personPassword, newPassword, filter, scope, attributes, entry)
            .anyMatch(java.util.Objects::nonNull)
        || !changes.isEmpty()
        || !generators.isEmpty();
  }

  private Subject plain(boolean isReplay) throws IOException {
    if (names != null) {
      Targets.Range range =
          Targets.read(names, namesAttribute, order(Targets.Order.SEQUENTIAL), skew);
      return new Subject(range.values(), null, range.count());
    }
    if (values != null) {
      Targets.Range range = Targets.parse(values, order(Targets.Order.RANDOM), skew);
      return new Subject(range.values(), null, range.count());
    }
    Targets people = Targets.PEOPLE;
    Targets.Order taken = isReplay ? Targets.Order.SEQUENTIAL : order(people.order());
    return new Subject(people.inOrder(taken, skew), null, 0);
  }

  private Subject patterns(
      List<JobKind> kinds, @Nullable Table table, int users, String base, String parent)
      throws IOException {
    PatternReader reader = new PatternReader(table, generators);
    try {
      Names named = named(kinds, reader, table, users, parent);
      TextPattern password =
          personPassword != null
              ? reader.read("--person-password", personPassword)
              : table != null && table.password().isPresent()
                  ? reader.read("--names", "{" + table.password().get() + "}")
                  : named.isSample ? reader.read("--users", "password.{n}") : null;
      List<TextPattern> wanted = new ArrayList<>();
      for (String one : attributes == null ? List.<String>of() : listed(attributes)) {
        wanted.add(reader.read("--attributes", one.strip()));
      }
      List<Patterns.Change> changed =
          changes.stream().map(change -> Patterns.Change.read(change, reader)).toList();
      TextPattern wantedFilter =
          named.filter != null || filter == null ? named.filter : reader.read("--filter", filter);
      boolean isFilter =
          wantedFilter == null
              || wantedFilter.mapped(text -> new byte[0], false) != null
              || Filters.isFilter(wantedFilter.text(0));
      LoadSettings.require(
          isFilter, "--filter", "a filter such as (uid=a[0-9])", String.valueOf(filter));
      Patterns patterns =
          new Patterns(
              named.value,
              named.dn,
              password,
              newPassword == null ? null : reader.read("--new-password", newPassword),
              wantedFilter,
              reader.read("--base", base).escaped(),
              scope(reader),
              wanted,
              entry == null ? null : Patterns.Entry.read(entry, reader),
              changed);
      boolean isInOrder = table != null || reader.isSequential();
      Targets.Order taken = order(isInOrder ? Targets.Order.SEQUENTIAL : Targets.Order.RANDOM);
      return new Subject(
          new Targets(named.attribute, "", "", 0, 0, List.of(), taken, skew),
          patterns,
          reader.count());
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  /** The texts that distinguish people. */
  private record Names(
      String attribute,
      TextPattern value,
      TextPattern dn,
      @Nullable TextPattern filter,
      boolean isSample) {}

  private Names named(
      List<JobKind> kinds, PatternReader reader, @Nullable Table table, int users, String parent) {
    if (table != null) {
      return named(reader, table, parent);
    }
    if (values != null) {
      java.util.regex.Matcher typed = ATTRIBUTE_VALUE.matcher(values);
      boolean isTyped = typed.matches();
      return below(
          isTyped ? typed.group(1) : "uid",
          reader.people("--values", isTyped ? typed.group(2) : values),
          null,
          reader,
          parent);
    }
    if (users > 0) {
      reader.numbered(users);
      Names sample = below("uid", reader.read("--users", "user.{n}"), null, reader, parent);
      return new Names(sample.attribute, sample.value, sample.dn, null, personDn == null);
    }
    if (personDn != null) {
      TextPattern dn = reader.people("--person-dn", personDn).escaped();
      return new Names(dn.rdnAttribute("uid"), dn.rdnValue(), dn, null, false);
    }
    boolean areFound = filter != null && kinds.stream().anyMatch(JobKind::logsIn);
    TextPattern found = areFound ? reader.people("--filter", String.valueOf(filter)) : null;
    return below("uid", reader.read("--users", "user.{n}"), found, reader, parent);
  }

  private Names named(PatternReader reader, Table table, String parent) {
    if (table.dn().isPresent() && personDn == null) {
      TextPattern dn = reader.read("--names", "{" + table.dn().get() + "}");
      String attribute = table.name(namesAttribute).orElse("");
      return attribute.isEmpty()
          ? new Names(dn.rdnAttribute(namesAttribute), dn.rdnValue(), dn, null, false)
          : new Names(attribute, reader.read("--names", "{" + attribute + "}"), dn, null, false);
    }
    String column = table.name(namesAttribute).orElse(table.columns().getFirst());
    boolean isAttribute = column.equalsIgnoreCase(namesAttribute) || personDn != null;
    return below(
        isAttribute ? column : namesAttribute,
        reader.read("--names", "{" + column + "}"),
        null,
        reader,
        parent);
  }

  /** People below one parent, named by an attribute with a value, unless it is said otherwise. */
  private Names below(
      String attribute,
      TextPattern value,
      @Nullable TextPattern found,
      PatternReader reader,
      String parent) {
    TextPattern dn =
        personDn != null
            ? reader.read("--person-dn", personDn).escaped()
            : value.escapedBelow(attribute, parent);
    return new Names(attribute, value, dn, found, false);
  }

  /** The parts of a list; commas in braces are not between them. */
  private static List<String> listed(String list) {
    return List.of(list.split(",(?![^{]*})"));
  }

  private TextPattern scope(PatternReader reader) {
    TextPattern pattern = reader.read("--scope", scope == null ? "sub" : scope);
    if (pattern.mapped(Patterns::scope, false) == null) {
      byte[] _ = Patterns.scope(pattern.isConstant() ? pattern.text(0) : String.valueOf(scope));
    }
    return pattern;
  }

  private Targets.Order order(Targets.Order otherwise) {
    if (order == null) {
      return otherwise;
    }
    try {
      return Targets.Order.valueOf(order.toUpperCase(Locale.ROOT));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "--order must be random, sequential or zipf, not " + order, e);
    }
  }
}
