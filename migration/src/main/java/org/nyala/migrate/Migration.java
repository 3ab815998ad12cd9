package org.nyala.migrate;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.typesafe.config.ConfigUtil;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.nyala.config.ConfigurationFile;
import org.nyala.config.NyalaConfig;
import org.nyala.config.OfferedExtension;
import org.nyala.core.access.slapd.ImportedRules;
import org.nyala.core.access.slapd.SlapdImport;
import org.nyala.core.schema.InvalidSchemaException;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.SecretTypes;
import org.nyala.core.schema.load.OwnSchema;
import org.nyala.core.slapd.InvalidSlapdFileException;
import org.nyala.core.slapd.SlapdConfiguration;
import org.nyala.core.slapd.SlapdDatabase;
import org.nyala.core.slapd.SlapdDirective;
import org.nyala.core.slapd.SlapdSection;
import org.nyala.error.CommandException;
import org.nyala.error.ConfigurationException;
import org.nyala.error.ErrorMessages;
import org.nyala.error.Installation;
import org.nyala.extension.OverlayTranslator;
import org.nyala.lmdb.env.StoreException;

/**
 * A configuration of slapd turned into one of Nyala: its files, and the remarks about what became
 * of what. Nothing is written but a folder for the time of its check.
 *
 * <p>Confined to one running operation.
 */
public final class Migration {
  /** The names of the files that are made. */
  public static final String CONFIGURATION = "nyala.conf";

  static final String SCHEMA = "schema";
  static final String RULES = "access.rules";

  /** The place of the folder that the files will be in, inside of a text in quotes. */
  static final String FOLDER = "@@NYALA-FOLDER@@/";

  /** The directives that become access rules, or are noted there. */
  private static final Set<String> IN_RULES = Set.of("access", "limits");

  private static final Set<String> TRANSLATED = names();

  private final Translation translation;
  private final ExtensionOverlays extensions;
  private final Installation installation;
  private final Map<String, String> schemaFiles;
  private final List<String> contexts;
  private final ImportedRules rules;
  private final Optional<String> fault;

  private Migration(
      Translation translation,
      Installation installation,
      String name,
      Placement placement,
      StartCheck start)
      throws IOException, InvalidSlapdFileException {
    this.translation = translation;
    this.installation = installation;
    this.extensions = new ExtensionOverlays(installation.base());
    SchemaMigration own;
    try {
      own = SchemaMigration.translate(translation);
    } catch (InvalidSchemaException e) {
      throw CommandException.failed("the schema of slapd: " + ErrorMessages.line(e));
    }
    this.schemaFiles = own.files();
    try (MigrationFolder folder = MigrationFolder.temporary()) {
      schemaFiles.forEach((file, text) -> folder.write(SCHEMA + '/' + file, text));
      Schema schema = schema(folder.path(), own.replaced());
      MovedSuffixes suffixes = new MovedSuffixes(translation.suffixes(), schema);
      this.contexts = suffixes.contexts();
      translate(schema, suffixes, placement);
      this.rules = SlapdImport.of(translation.source(), name, schema);
      files(folder.path()).forEach(folder::write);
      this.fault = check(folder.path(), start);
    }
  }

  /**
   * Translates a configuration.
   *
   * @param path slapd.conf, an LDIF of {@code cn=config}, or a folder such as slapd.d
   * @param taken the server numbers that the data has, besides those of the configuration
   * @param placement the folders that the configuration is to name
   * @param start the check of what is made
   * @throws IOException if a file cannot be read
   * @throws InvalidSlapdFileException if one is no configuration of slapd
   * @throws CommandException if its schema cannot be read
   */
  public static Migration of(
      Path path,
      Set<Integer> taken,
      Placement placement,
      Installation installation,
      StartCheck start)
      throws IOException, InvalidSlapdFileException {
    SlapdConfiguration source = SlapdConfiguration.read(path);
    Translation translation = new Translation(source, taken);
    if (translation.stores().isEmpty()) {
      throw CommandException.failed(
          SlapdConfiguration.nameOf(path) + " has no database with a suffix: nothing to move");
    }
    return new Migration(
        translation, installation, SlapdConfiguration.nameOf(path), placement, start);
  }

  private Schema schema(Path folder, List<String> replaced) throws IOException {
    if (schemaFiles.isEmpty()) {
      return installation.schema();
    }
    OwnSchema own = new OwnSchema(List.of(folder.resolve(SCHEMA)), replaced, List.of(), List.of());
    return installation.schema(own, SecretTypes.DEFAULT, _ -> {});
  }

  private void translate(Schema schema, MovedSuffixes suffixes, Placement placement) {
    ConfigurationDraft draft = translation.draft();
    SecurityDirectives.translateTls(translation);
    placement.write(draft);
    OtherDirectives.translate(translation, suffixes);
    AccountDirectives.translate(translation, schema, suffixes);
    draft.set("access.rules", ConfigurationDraft.text(FOLDER + RULES), "access");
    SecurityDirectives.translate(translation);
    LimitDirectives.translate(translation);
    AccountDirectives.translatePasswords(translation);
    Set<String> needed = new LinkedHashSet<>(IntegrityOverlays.translate(translation));
    needed.addAll(extensions.translate(translation));
    needed.addAll(ReplicationDirectives.translate(translation, suffixes));
    IndexDirectives.translate(translation, schema, needed);
    rest();
  }

  /* Directives that nothing above has looked at. */
  private void rest() {
    for (SlapdDatabase section : translation.sections()) {
      for (SlapdDirective directive : section.directives()) {
        rest(directive);
      }
      section.overlays().forEach(this::overlay);
    }
  }

  private void rest(SlapdDirective directive) {
    if (translation.isNoted(directive) || IN_RULES.contains(directive.name())) {
      return;
    }
    if (TRANSLATED.contains(directive.name()) && !Counterparts.isDefault(directive)) {
      translation.different(
          directive, "not translated: it repeats the default, or another line decides");
    } else {
      Counterparts.note(translation, directive);
    }
  }

  private void overlay(SlapdSection overlay) {
    String loss = Counterparts.lossOf(overlay.kind());
    if (overlay.isDisabled()) {
      translation.needless(overlay, "disabled");
    } else if (loss.isEmpty()) {
      translation.needless(overlay, "built in");
    } else if (!IntegrityOverlays.KINDS.contains(overlay.kind())
        && !extensions.translates(overlay.kind())
        && !AccountDirectives.KINDS.contains(overlay.kind())
        && !OtherDirectives.KINDS.contains(overlay.kind())) {
      translation.missing(overlay, loss);
    } else {
      overlay.directives().forEach(this::rest);
    }
  }

  private static Set<String> names() {
    Set<String> all = new HashSet<>();
    all.addAll(LimitDirectives.NAMES);
    all.addAll(AccountDirectives.NAMES);
    all.addAll(IndexDirectives.NAMES);
    all.addAll(SecurityDirectives.NAMES);
    all.addAll(OtherDirectives.NAMES);
    all.addAll(ReplicationDirectives.NAMES);
    all.add("suffix");
    return all;
  }

  private Optional<String> check(Path folder, StartCheck start) throws IOException {
    try {
      NyalaConfig configuration =
          ConfigurationFile.read(folder.resolve(CONFIGURATION), installation.base())
              .withData(folder.resolve("no-data"));
      start.of(configuration, installation, _ -> {});
      return Optional.empty();
    } catch (CommandException | ConfigurationException | StoreException e) {
      return Optional.of(ErrorMessages.line(e).replace(folder.toString() + '/', ""));
    }
  }

  /** Returns the remarks, in the order of slapd's configuration as far as they have a place. */
  public List<MigrationNote> notes() {
    return translation.notes().stream()
        .map(
            note ->
                new MigrationNote(
                    note.kind(), note.source(), note.subject(), note.text().replace(FOLDER, "")))
        .toList();
  }

  /** Returns the schemes of passwords that slapd checks with modules that it has not loaded. */
  public Set<String> newSchemes() {
    return AccountDirectives.newSchemes(translation.source());
  }

  public ImportedRules rules() {
    return rules;
  }

  /** Returns the fault because of which the configuration cannot be used as it is; or nothing. */
  public Optional<String> fault() {
    return fault;
  }

  /** Returns the naming contexts, which have the entries of all databases that are moved. */
  public List<String> suffixes() {
    return contexts;
  }

  /**
   * Returns the content of the files by their names in a folder.
   *
   * @param folder the folder that they will be in
   */
  public Map<String, String> files(Path folder) {
    Map<String, String> files = new LinkedHashMap<>();
    files.put(CONFIGURATION, configuration(folder));
    files.put(RULES, rules.text());
    schemaFiles.forEach((name, text) -> files.put(SCHEMA + '/' + name, text));
    files.putAll(translation.secrets());
    return files;
  }

  /** Returns the content of the configuration for a folder. */
  public String configuration(Path folder) {
    String quoted = ConfigUtil.quoteString(folder.toAbsolutePath().normalize() + "/");
    String inside = quoted.substring(1, quoted.length() - 1);
    return translation.draft().render().replace(FOLDER, inside);
  }

  /** Returns the names of the files that hold passwords. */
  public Set<String> secrets() {
    return Set.copyOf(translation.secrets().keySet());
  }

  /**
   * Does something with the configuration that is made, while its files are in a folder that is
   * deleted afterwards.
   *
   * @throws IOException if the folder cannot be written, or the work fails so
   */
  public <T> T with(Work<T> work) throws IOException {
    try (MigrationFolder folder = MigrationFolder.temporary()) {
      files(folder.path()).forEach(folder::write);
      return work.of(
          ConfigurationFile.read(folder.path().resolve(CONFIGURATION), installation.base())
              .withData(folder.path().resolve("no-data")));
    }
  }

  /** The check whether a server could start with a configuration. */
  @FunctionalInterface
  public interface StartCheck {
    /**
     * Does it.
     *
     * @param notes receives a line for each definition of the schema that is replaced
     * @throws ConfigurationException if a server would reject the configuration
     */
    void of(NyalaConfig configuration, Installation installation, Consumer<String> notes)
        throws IOException;
  }

  /** A work with a configuration. */
  @FunctionalInterface
  public interface Work<T> {
    /** Does it. */
    T of(NyalaConfig configuration) throws IOException;
  }

  static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }

  static boolean isThere(Path file) {
    return Files.exists(file, LinkOption.NOFOLLOW_LINKS);
  }

  /**
   * The overlays that extensions translate.
   *
   * <p>Confined to one running operation.
   */
  private static final class ExtensionOverlays {
    private final Map<String, Offered> translators = new LinkedHashMap<>();

    /** A translator and its extension. Immutable. */
    private record Offered(OfferedExtension extension, OverlayTranslator translator) {}

    /**
     * Asks the extensions of an installation what they translate.
     *
     * @param base the folder of the installation
     * @throws CommandException if one fails
     */
    ExtensionOverlays(Path base) {
      for (OfferedExtension extension : OfferedExtension.in(base)) {
        for (OverlayTranslator each : guarded(extension, extension.source()::migrates)) {
          String overlay = guarded(extension, each::overlay);
          translators.putIfAbsent(overlay, new Offered(extension, each));
        }
      }
    }

    private static <T> T guarded(OfferedExtension extension, Supplier<T> call) {
      try {
        return extension.guarded(call);
      } catch (IllegalArgumentException e) {
        throw CommandException.failed(String.valueOf(e.getMessage()));
      }
    }

    /** Returns whether an extension translates an overlay. */
    boolean translates(String overlay) {
      return translators.containsKey(overlay);
    }

    /** Translates all of them; returns the attributes that need an index for equality. */
    Set<String> translate(Translation translation) {
      Set<String> needed = new LinkedHashSet<>();
      translators.forEach(
          (overlay, offered) -> {
            List<Line> lines = lines(translation, overlay);
            Target target = new Target(translation, offered.extension.name(), overlay, needed);
            guarded(
                offered.extension,
                () -> {
                  offered.translator.translate(lines, target);
                  return needed;
                });
          });
      return needed;
    }

    private static List<Line> lines(Translation translation, String overlay) {
      List<Line> lines = new ArrayList<>();
      add(translation.global(), overlay, List.of(), lines);
      boolean isOnly = translation.suffixes().size() == 1;
      for (SlapdDatabase store : translation.stores()) {
        add(store, overlay, isOnly ? List.of() : store.suffixes(), lines);
      }
      return lines;
    }

    private static void add(
        SlapdDatabase database, String overlay, List<String> suffixes, List<Line> lines) {
      for (SlapdSection each : Translation.overlays(database, overlay)) {
        each.directives().forEach(directive -> lines.add(new Line(directive, suffixes)));
      }
    }

    /** A line as an extension sees it. Immutable. */
    private record Line(SlapdDirective directive, List<String> suffixes)
        implements OverlayTranslator.Line {
      @Override
      public String name() {
        return directive.name();
      }

      @Override
      public List<String> words() {
        return directive.words();
      }
    }

    /** The draft and the notes as an extension sees them. Confined to one running operation. */
    private record Target(
        Translation translation, String extension, String overlay, Set<String> needed)
        implements OverlayTranslator.Result {
      @Override
      public void set(String key, Object value) {
        translation.set(
            extension + '.' + key, ConfigurationDraft.value(value), "overlay " + overlay);
      }

      @Override
      public void needsEquality(String attribute) {
        needed.add(attribute);
      }

      @Override
      public void translated(OverlayTranslator.Line line, String text) {
        translation.translated(((Line) line).directive, text);
      }

      @Override
      public void missing(OverlayTranslator.Line line, String loss) {
        translation.missing(((Line) line).directive, loss);
      }
    }
  }
}
