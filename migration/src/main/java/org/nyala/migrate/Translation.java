package org.nyala.migrate;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.rule.Source;
import org.nyala.core.slapd.SlapdConfiguration;
import org.nyala.core.slapd.SlapdDatabase;
import org.nyala.core.slapd.SlapdDirective;
import org.nyala.core.slapd.SlapdPart;
import org.nyala.core.slapd.SlapdSection;
import org.nyala.migrate.MigrationNote.Kind;

/**
 * The translation of a configuration of slapd under way: what is read, what it has become so far,
 * and the remarks about it.
 *
 * <p>Confined to one running operation.
 */
final class Translation {
  /** The kinds of databases whose entries are moved. */
  private static final Set<String> STORES = Set.of("mdb", "hdb", "bdb", "ldif", "wt", "ldbm");

  private final SlapdConfiguration source;
  private final Set<Integer> taken;
  private final Set<String> logs;
  private final ConfigurationDraft draft = new ConfigurationDraft();
  private final List<MigrationNote> notes = new ArrayList<>();
  private final Set<SlapdPart> noted = Collections.newSetFromMap(new IdentityHashMap<>());
  private final Map<String, Long> numbers = new HashMap<>();
  private final Map<String, String> secrets = new LinkedHashMap<>();

  /**
   * Begins a translation.
   *
   * @param taken the server numbers that the data has
   */
  Translation(SlapdConfiguration source, Set<Integer> taken) {
    this.source = source;
    this.taken = Set.copyOf(taken);
    this.logs = logs(source);
  }

  /** Returns the server numbers that the data has. */
  Set<Integer> taken() {
    return taken;
  }

  /** Returns the configuration that is translated. */
  SlapdConfiguration source() {
    return source;
  }

  /** Returns the section before all databases. */
  SlapdDatabase global() {
    return source.global();
  }

  /** Returns the sections whose directives count: the global one, and the databases moved. */
  List<SlapdDatabase> sections() {
    List<SlapdDatabase> sections = new ArrayList<>();
    sections.add(source.global());
    sections.addAll(stores());
    return sections;
  }

  /** Returns the configuration that is made. */
  ConfigurationDraft draft() {
    return draft;
  }

  /** Returns the remarks so far. */
  List<MigrationNote> notes() {
    return notes;
  }

  /** Returns the content of files with passwords by their names. */
  Map<String, String> secrets() {
    return secrets;
  }

  /** Returns the databases whose entries are moved: those of a kind that holds entries itself. */
  List<SlapdDatabase> stores() {
    return source.databases().stream().filter(this::isStore).toList();
  }

  /** Returns the suffixes of the databases whose entries are moved. */
  List<String> suffixes() {
    return stores().stream().flatMap(store -> store.suffixes().stream()).toList();
  }

  /** Returns whether a database holds entries itself, below a suffix, that are not a log. */
  boolean isStore(SlapdDatabase database) {
    return STORES.contains(database.kind())
        && !database.suffixes().isEmpty()
        && !database.isDisabled()
        && database.suffixes().stream().map(Translation::plain).noneMatch(logs::contains);
  }

  /* The suffixes of the databases that the overlay accesslog writes to. */
  private static Set<String> logs(SlapdConfiguration source) {
    Set<String> logs = new HashSet<>();
    for (SlapdDatabase database : source.databases()) {
      for (SlapdSection overlay : overlays(database, "accesslog")) {
        for (String name : List.of("logdb", "accesslogdb")) {
          overlay.directive(name).ifPresent(each -> logs.add(plain(each.value())));
        }
      }
    }
    return logs;
  }

  private static String plain(String name) {
    return name.toLowerCase(Locale.ROOT).replace(" ", "");
  }

  /** Returns the overlays of a kind above all entries that are moved. */
  List<SlapdSection> overlays(String kind) {
    return sections().stream().flatMap(each -> overlays(each, kind).stream()).toList();
  }

  /**
   * Returns the overlays of a kind of one section; those that slapd leaves out are not among them.
   */
  static List<SlapdSection> overlays(SlapdDatabase section, String kind) {
    return section.overlays().stream()
        .filter(overlay -> overlay.kind().equals(kind) && !overlay.isDisabled())
        .toList();
  }

  /** Returns the value in force for a database: its own, or that of the global section. */
  <T> T effective(
      SlapdDatabase database,
      String name,
      Function<SlapdDirective, Optional<T>> reading,
      T otherwise) {
    return database
        .directive(name)
        .flatMap(reading)
        .or(() -> source.global().directive(name).flatMap(reading))
        .orElse(otherwise);
  }

  /** Sets a key that no directive says; the comment, if any, tells why. */
  void set(String key, String value, @Nullable String comment) {
    draft.set(key, value, comment);
  }

  /** Sets a key that says what a directive says. */
  void set(SlapdDirective directive, String key, String value) {
    translated(directive, put(directive, key, value));
  }

  /** Raises the number of a key, and returns whether it was lower, or not set. */
  boolean raise(String key, long number) {
    return numbers.merge(key, number, Math::max) == number;
  }

  /** Sets a key that says nearly what a directive says. */
  void set(SlapdDirective directive, String key, String value, String difference) {
    different(directive, put(directive, key, value) + "; " + difference);
  }

  private String put(SlapdDirective directive, String key, String value) {
    draft.set(key, value, ConfigurationDraft.place(directive.source(), directive.writtenName()));
    return key + " = " + value;
  }

  /** Returns whether a result is noted for a directive. */
  boolean isNoted(SlapdDirective directive) {
    return noted.contains(directive);
  }

  /** Notes the keys that say what a part of the configuration says. */
  void translated(SlapdPart part, String keys) {
    note(Kind.TRANSLATED, part, keys);
  }

  /** Notes what is not quite the same here. */
  void different(SlapdPart part, String text) {
    note(Kind.DIFFERENT, part, text);
  }

  /** Notes what the loss of a part means. */
  void missing(SlapdPart part, String text) {
    note(Kind.MISSING, part, text);
  }

  /** Notes why a part needs no counterpart. */
  void needless(SlapdPart part, String text) {
    note(Kind.NEEDLESS, part, text);
  }

  /** Notes a result for a part of the configuration. */
  void note(Kind kind, SlapdPart part, String text) {
    noted.add(part);
    notes.add(new MigrationNote(kind, part.source(), part.writtenName(), text));
  }

  /** Notes a difference that no part of the configuration says. */
  void different(String subject, String text) {
    note(Kind.DIFFERENT, subject, text);
  }

  /** Notes something that no part of the configuration says. */
  void note(Kind kind, String subject, String text) {
    notes.add(new MigrationNote(kind, Source.NONE, subject, text));
  }
}
