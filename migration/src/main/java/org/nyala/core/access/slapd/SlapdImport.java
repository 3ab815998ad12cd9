package org.nyala.core.access.slapd;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.rule.Clause;
import org.nyala.core.access.rule.Clause.Flow;
import org.nyala.core.access.rule.DnPattern;
import org.nyala.core.access.rule.Grant;
import org.nyala.core.access.rule.Grant.Mode;
import org.nyala.core.access.rule.InvalidRulesException;
import org.nyala.core.access.rule.LimitStatement;
import org.nyala.core.access.rule.Place;
import org.nyala.core.access.rule.Scope;
import org.nyala.core.access.rule.Source;
import org.nyala.core.access.slapd.RulesText.Ceiling;
import org.nyala.core.access.slapd.RulesText.UnboundClients;
import org.nyala.core.dn.Dn;
import org.nyala.core.rights.Right;
import org.nyala.core.schema.Schema;
import org.nyala.core.slapd.InvalidSlapdFileException;
import org.nyala.core.slapd.SlapdConfiguration;
import org.nyala.core.slapd.SlapdDatabase;
import org.nyala.core.slapd.SlapdDirective;

/**
 * Turns the access rules and limits of slapd into rules that give nobody more than slapd did.
 *
 * <p>Confined to one thread.
 */
public final class SlapdImport {
  /** The grant that slapd has if there is no rule at all. */
  private static final Grant READ = new Grant(Mode.SET, EnumSet.range(Right.DISCLOSE, Right.READ));

  private static final String SUBSCHEMA = "cn=Subschema";

  private final SlapdConfiguration configuration;
  private final Wording wording;
  private final RulesText text;
  private final Set<Right> leftByDatabases = EnumSet.noneOf(Right.class);

  /** A database below one of its suffixes. */
  private record Section(SlapdDatabase database, TreePart part) {}

  private SlapdImport(SlapdConfiguration configuration, Wording wording) {
    this.configuration = configuration;
    this.wording = wording;
    this.text = new RulesText(wording);
  }

  /**
   * Reads a configuration and returns its rules.
   *
   * @param path slapd.conf, an LDIF of {@code cn=config}, or a folder such as slapd.d, within the
   *     bounds of {@link SlapdConfiguration#read}
   * @param schema the schema of the names in it
   * @throws IOException if it, or a file that it includes, cannot be read
   * @throws InvalidSlapdFileException if it is beyond these bounds, not UTF-8, or no such file
   */
  public static ImportedRules read(Path path, Schema schema)
      throws IOException, InvalidSlapdFileException {
    return of(SlapdConfiguration.read(path), SlapdConfiguration.nameOf(path), schema);
  }

  /**
   * Returns the rules of a configuration.
   *
   * @param name the name of its file, for the heading of the rules
   * @throws InvalidSlapdFileException if the rules are too long
   */
  public static ImportedRules of(SlapdConfiguration configuration, String name, Schema schema)
      throws InvalidSlapdFileException {
    return new SlapdImport(configuration, new Wording(schema)).rules(name);
  }

  private ImportedRules rules(String name) throws InvalidSlapdFileException {
    text.heading("Access rules of slapd, from " + name + ".");
    List<Section> sections = sections();
    for (Section section : sections) {
      write(section, isBelowOther(section, sections));
    }
    writeGlobal();
    text.end();
    writeLimits();
    String rules = text.toString();
    try {
      return new ImportedRules(rules, wording.read(name, rules), text.unsaid());
    } catch (InvalidRulesException e) {
      throw new InvalidSlapdFileException(
          new Source(name, 1, 1), "rules that are too long: " + e.getMessage());
    }
  }

  /* Those of the lowest suffixes come first, as slapd asks no other database for their entries. */
  private List<Section> sections() {
    List<Section> sections = new ArrayList<>();
    for (SlapdDatabase database : configuration.databases()) {
      int before = sections.size();
      for (String suffix : database.suffixes()) {
        Dn top = wording.name(suffix);
        if (top != null) {
          sections.add(new Section(database, new TreePart(top)));
        }
      }
      if (sections.size() < before + Math.max(1, database.suffixes().size())) {
        leaveOut(database);
      }
    }
    sections.sort(
        Comparator.comparingInt((Section section) -> section.part().top().rdnCount()).reversed());
    return sections;
  }

  /* A database without a suffix that can be written holds no entries that could be imported. */
  private void leaveOut(SlapdDatabase database) {
    boolean isConfig = database.kind().equals(SlapdDatabase.CONFIG);
    for (SlapdDirective directive : database.access()) {
      text.directive(directive);
      if (isConfig) {
        text.comment("Left out: the configuration is no part of the directory.");
      } else {
        text.unsaid(directive, "a database with a suffix that cannot be written, or none");
      }
    }
  }

  private static boolean isBelowOther(Section section, List<Section> all) {
    Dn top = section.part().top();
    return all.stream()
        .map(other -> other.part().top())
        .anyMatch(other -> !other.equals(top) && top.isWithin(other));
  }

  private List<SlapdRule> read(List<SlapdDirective> directives, TreePart part) {
    RuleReader reader = new RuleReader(wording, part);
    return directives.stream().flatMap(each -> reader.read(each).stream()).toList();
  }

  private void write(Section section, boolean isBelowOther) {
    TreePart part = section.part();
    boolean isMonitor = isMonitor(section.database());
    if (isMonitor && section.database().access().isEmpty()) {
      // Rules for everything were hardly written for it.
      text.heading(
          "slapd has no rules of its own for "
              + SlapdDatabase.MONITOR_SUFFIX
              + ", which root.dn alone reads here.");
      denyMonitor();
      return;
    }
    boolean isRefusing = UnboundClients.areRefused(section.database());
    text.refuseUnbound(isRefusing || UnboundClients.areRefused(configuration.global()));
    List<SlapdDirective> global = configuration.global().access();
    if (section.database().access().isEmpty() && global.isEmpty()) {
      text.heading("slapd has no rules for " + part.top() + ", so that everybody may read.");
      text.rule(part.place(), new Clause(List.of(), READ, Flow.STOP, Source.NONE));
      return;
    }
    List<SlapdRule> own = read(section.database().access(), part);
    List<SlapdRule> all = new ArrayList<>(own);
    all.addAll(read(global, part));
    leftByDatabases.addAll(Ceiling.left(own));
    boolean isClosed = isBelowOther || isRefusing || isMonitor;
    write(all, isClosed ? all.size() : own.size(), Set.of());
    if (isClosed) {
      text.end(part.place());
    }
  }

  private void write(List<SlapdRule> rules, int count, Set<Right> left) {
    for (int i = 0; i < count; i++) {
      Set<Right> before = Ceiling.union(left, Ceiling.left(rules.subList(0, i)));
      Set<Right> after = Ceiling.given(rules.subList(i + 1, rules.size()));
      text.rule(rules.get(i), new Ceiling(before, after));
    }
  }

  private void writeGlobal() {
    text.refuseUnbound(UnboundClients.areRefused(configuration.global()));
    List<SlapdRule> rules = read(configuration.global().access(), TreePart.ALL);
    if (rules.isEmpty()) {
      text.heading("slapd has no rules for the root DSE and the schema.");
      for (String name : List.of("", SUBSCHEMA)) {
        Dn entry = wording.name(name);
        if (entry != null) {
          text.rule(
              new Place(Scope.ENTRY, DnPattern.of(entry)),
              new Clause(List.of(), READ, Flow.STOP, Source.NONE));
        }
      }
    }
    if (!rules.isEmpty() && configuration.databases().stream().noneMatch(this::isMonitor)) {
      text.heading("slapd has no " + SlapdDatabase.MONITOR_SUFFIX + '.');
      denyMonitor();
    }
    write(rules, rules.size(), leftByDatabases);
  }

  private boolean isMonitor(SlapdDatabase database) {
    return database.suffixes().contains(SlapdDatabase.MONITOR_SUFFIX);
  }

  private void denyMonitor() {
    Dn top = wording.name(SlapdDatabase.MONITOR_SUFFIX);
    if (top != null) {
      text.rule(
          new TreePart(top).place(),
          new Clause(List.of(), SlapdRule.ByClause.NOTHING, Flow.STOP, Source.NONE));
    }
  }

  /* Limits have no place: they can be said if they are the same everywhere, or in one place only. */
  private void writeLimits() {
    for (SlapdDirective directive : configuration.global().limits()) {
      text.directive(directive);
      text.unsaid(directive, "a limit of no database");
    }
    configuration.databases().stream()
        .filter(database -> !database.isOfUsers())
        .flatMap(database -> database.limits().stream())
        .forEach(
            directive -> {
              text.directive(directive);
              text.unsaid(
                  directive, "a limit of cn=Monitor or cn=config alone: limits have no place");
            });
    List<SlapdDatabase> ofUsers =
        configuration.databases().stream().filter(SlapdDatabase::isOfUsers).toList();
    List<SlapdDatabase> limiting =
        ofUsers.stream().filter(database -> !database.limits().isEmpty()).toList();
    long different = limiting.stream().map(SlapdImport::words).distinct().count();
    boolean isPart = limiting.size() < ofUsers.size();
    for (SlapdDatabase database : different > 1 ? limiting : limiting.stream().limit(1).toList()) {
      for (SlapdDirective directive : database.limits()) {
        text.directive(directive);
        if (different > 1) {
          text.unsaid(directive, "a limit of one database among several");
          continue;
        }
        if (isPart) {
          text.unsaid(directive, "a limit of one database: it now applies to all naming contexts");
        }
        write(directive);
      }
    }
  }

  private static List<List<String>> words(SlapdDatabase database) {
    return database.limits().stream().map(SlapdDirective::words).toList();
  }

  private void write(SlapdDirective directive) {
    LimitReader reader = new LimitReader(wording, directive);
    LimitStatement limit = reader.read();
    reader.reasons().forEach(reason -> text.unsaid(directive, reason));
    if (limit != null) {
      text.limit(limit);
    }
  }

  /**
   * Reads rules of slapd: {@code to ... by ...}.
   *
   * <p>Confined to one thread.
   *
   * @param part the part of the tree that they are for
   */
  private record RuleReader(Wording wording, TreePart part) {
    /** Reads a rule as one, or as two for entries of which some can be said and others cannot. */
    List<SlapdRule> read(SlapdDirective directive) {
      WordCursor words = new WordCursor(directive.words());
      if (!words.accept("to")) {
        List<String> reasons = List.of("a rule that does not begin with 'to'");
        return List.of(read(directive, words, What.unknown(part.place(), reasons)));
      }
      WhatReader first = new WhatReader(wording, part, false);
      SlapdRule rule = read(directive, words, first.read(words));
      if (!first.hasRest()) {
        return List.of(rule);
      }
      WordCursor again = new WordCursor(directive.words());
      again.accept("to");
      What rest = new WhatReader(wording, part, true).read(again);
      return List.of(rule, read(directive, again, rest));
    }

    private SlapdRule read(SlapdDirective directive, WordCursor words, What what) {
      List<SlapdRule.ByClause> clauses = new ArrayList<>();
      while (words.hasNext()) {
        int start = words.position();
        if (!words.accept("by")) {
          String word = words.next();
          clauses.add(unread("'" + word + "' instead of 'by'", word));
          break;
        }
        clauses.add(clause(what, words, start));
      }
      if (clauses.isEmpty()) {
        clauses.add(unread("a rule without 'by'", String.join(" ", directive.words())));
      }
      return new SlapdRule(directive, what, clauses);
    }

    /* slapd does not start with such a clause: nobody gets anything from there on. */
    private static SlapdRule.ByClause unread(String reason, String text) {
      return new SlapdRule.ByClause(
          Subjects.unknown(reason), SlapdRule.ByClause.NOTHING, Flow.STOP, text);
    }

    private SlapdRule.ByClause clause(What what, WordCursor words, int start) {
      SubjectsBuilder who = new WhoReader(wording, what).read(words);
      if (!words.hasNext() || words.isAt("by") || flow(words.peek()) != null) {
        Flow flow = flow(words);
        return new SlapdRule.ByClause(
            who.subjects(false), Grant.UNCHANGED, flow, words.since(start));
      }
      String access = WhoReader.withoutReal(words.next());
      boolean isOwn = access.toLowerCase(Locale.ROOT).startsWith("self");
      Grant grant = AccessWords.grant(isOwn ? access.substring("self".length()) : access);
      Flow flow = flow(words);
      String text = words.since(start);
      if (grant == null) {
        return unread("'" + access + "', neither a condition nor an access", text);
      }
      return new SlapdRule.ByClause(who.subjects(isOwn), grant, flow, text);
    }

    private static Flow flow(WordCursor words) {
      Flow flow = flow(words.peek());
      if (flow == null) {
        return Flow.STOP;
      }
      words.next();
      return flow;
    }

    private static @Nullable Flow flow(String word) {
      return switch (word.toLowerCase(Locale.ROOT)) {
        case "stop" -> Flow.STOP;
        case "continue" -> Flow.CONTINUE;
        case "break" -> Flow.BREAK;
        default -> null;
      };
    }

    /** The levels and privileges of slapd, as rights. */
    private static final class AccessWords {
      /** The rights that {@code manage} stands for: slapd has no right to act as others. */
      private static final Set<Right> ALL = EnumSet.complementOf(EnumSet.of(Right.PROXY));

      private AccessWords() {}

      /**
       * Returns what a level ({@code read}) or privileges ({@code =rsc}, {@code +w}) mean, or null.
       */
      static @Nullable Grant grant(String word) {
        Mode mode =
            switch (word.isEmpty() ? '0' : word.charAt(0)) {
              case '=' -> Mode.SET;
              case '+' -> Mode.ADD;
              case '-' -> Mode.REMOVE;
              default -> null;
            };
        if (mode != null) {
          return privileges(mode, word);
        }
        Set<Right> level = level(word.toLowerCase(Locale.ROOT));
        return level == null ? null : new Grant(Mode.SET, level);
      }

      private static @Nullable Set<Right> level(String word) {
        EnumSet<Right> upTo = EnumSet.noneOf(Right.class);
        return switch (word) {
          case "none" -> upTo;
          case "disclose" -> EnumSet.of(Right.DISCLOSE);
          case "auth" -> EnumSet.range(Right.DISCLOSE, Right.AUTHENTICATE);
          case "compare" -> EnumSet.range(Right.DISCLOSE, Right.COMPARE);
          case "search" -> EnumSet.range(Right.DISCLOSE, Right.SEARCH);
          case "read" -> EnumSet.range(Right.DISCLOSE, Right.READ);
          case "add" -> EnumSet.range(Right.DISCLOSE, Right.ADD);
          case "delete" -> {
            upTo.addAll(EnumSet.range(Right.DISCLOSE, Right.READ));
            upTo.add(Right.REMOVE);
            yield upTo;
          }
          case "write" -> EnumSet.range(Right.DISCLOSE, Right.INCREMENT);
          case "manage" -> ALL;
          default -> null;
        };
      }

      /* Grants the rights of slapd's letters; who may both add and remove may increment. */
      private static @Nullable Grant privileges(Mode mode, String word) {
        EnumSet<Right> rights = EnumSet.noneOf(Right.class);
        for (int i = 1; i < word.length(); i++) {
          switch (Character.toLowerCase(word.charAt(i))) {
            case '0' -> rights.addAll(Set.of());
            case 'd' -> rights.add(Right.DISCLOSE);
            case 'x' -> rights.add(Right.AUTHENTICATE);
            case 'c' -> rights.add(Right.COMPARE);
            case 's' -> rights.add(Right.SEARCH);
            case 'r' -> rights.add(Right.READ);
            case 'a' -> rights.add(Right.ADD);
            case 'z' -> rights.add(Right.REMOVE);
            case 'w' -> rights.addAll(Right.WRITE);
            case 'm' -> rights.add(Right.MANAGE);
            default -> {
              return null;
            }
          }
        }
        boolean hasBoth = rights.contains(Right.ADD) && rights.contains(Right.REMOVE);
        boolean hasEither = rights.contains(Right.ADD) || rights.contains(Right.REMOVE);
        if (mode == Mode.REMOVE && hasEither) {
          // slapd has one bit that both have: -a takes the right to remove, too, and -z that to
          // add.
          rights.addAll(Right.WRITE);
        } else if (hasBoth) {
          rights.add(Right.INCREMENT);
        }
        return new Grant(mode, rights);
      }
    }
  }
}
