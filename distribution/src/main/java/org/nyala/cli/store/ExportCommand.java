package org.nyala.cli.store;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.nyala.cli.command.DataCommand;
import org.nyala.cli.command.ExportFile;
import org.nyala.config.ImportConfiguration;
import org.nyala.config.NeededIndexes;
import org.nyala.config.NyalaConfig;
import org.nyala.core.dn.Dn;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.filter.FilterCompiler;
import org.nyala.core.filter.FilterLimitException;
import org.nyala.core.filter.FilterParser;
import org.nyala.core.filter.Membership;
import org.nyala.core.ldif.LdifWriter;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.provider.AttributeProviders;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.load.DefinitionKind;
import org.nyala.core.schema.load.ExtendedSchema.Addition;
import org.nyala.error.CommandException;
import org.nyala.error.ErrorMessages;
import org.nyala.error.ExitCode;
import org.nyala.error.Installation;
import org.nyala.lmdb.LmdbBackend;
import org.nyala.lmdb.env.EntryProgress;
import org.nyala.lmdb.export.LdifExport;
import org.nyala.lmdb.format.StoredSchema;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code nyala export}. */
@Command(
    name = "export",
    description = {
      "Writes the directory as LDIF that can be imported again, with operational "
          + "attributes and passwords.",
      "A server may be running on the data directory."
    })
public final class ExportCommand extends DataCommand {
  @Option(
      names = "--base",
      paramLabel = "DN",
      description = "Write this entry and all entries below it. Default: everything.")
  private @Nullable String base;

  @Option(names = "--filter", paramLabel = "FILTER", description = "Write only entries that match.")
  private @Nullable String filter;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FILE",
      description = {
        "The file; only its owner may read it, and it replaces an existing one when "
            + "it is complete.",
        "Default: standard output."
      })
  private @Nullable Path output;

  @Option(
      names = "--split",
      paramLabel = "FOLDER",
      description = {
        "Write each naming context to a file of its own in this existing folder, all as of one"
            + " moment. Prints each file with its naming context, as slapadd reads one database at"
            + " a time."
      })
  private @Nullable Path split;

  @Option(
      names = "--member-of",
      paramLabel = "computed|none",
      description = {
        "With memberOf.enabled: computed writes the groups that name an entry; none, the default,"
            + " writes no memberOf. Values that an import has stored are not written.",
        "Otherwise memberOf is data like other attributes, and none leaves it out."
      })
  private @Nullable MemberOf memberOf;

  @Option(
      names = "--except",
      paramLabel = "ATTR",
      split = ",",
      description = {
        "Attributes to leave out, separated by commas: what the other server does not define, such"
            + " as pwdChangedTime for slapd without its overlay ppolicy."
      })
  private List<String> except = List.of();

  /** The forms of memberOf in an export. */
  enum MemberOf {
    computed,
    none
  }

  @Option(
      names = "--schema",
      paramLabel = "FILE",
      description = {
        "Also write the definitions that were added at run time, to a file whose "
            + "name ends in .schema or .ldif.",
        "In conf/schema of an installation this file makes the export importable "
            + "there; ldapmodify adds the definitions of an .ldif to a running server."
      })
  private @Nullable Path schemaFile;

  @Option(
      names = "--stall-seconds",
      paramLabel = "SECONDS",
      defaultValue = "60",
      description = {
        "End with an error if a pipe or terminal takes less than 64 KiB in this time:",
        "a server on the data directory reuses no freed page until the export is over.",
        "0: never. Default: ${DEFAULT-VALUE}."
      })
  private int stallSeconds;

  @Override
  public Integer call() throws IOException {
    if (stallSeconds < 0) {
      throw wrongUsage("--stall-seconds: expected 0 or more, not " + stallSeconds);
    }
    if (split != null && (base != null || output != null)) {
      throw wrongUsage("--split cannot be combined with --base and --output");
    }
    NyalaConfig configuration = data().configuration();
    configuration.requireData();
    SchemaFile definitions = schemaFile == null ? null : SchemaFile.of(schemaFile);
    Schema schema = configuration.schema(Installation.current());
    try (LmdbBackend backend =
        LmdbBackend.open(configuration.data(), schema, configuration.store().asReadOnly())) {
      export(backend, configuration);
    }
    // Read after the entries, which may use definitions that were added while they were written.
    export(
        StoredSchema.read(configuration.data(), schema, configuration.store()).additions(),
        definitions);
    return ExitCode.OK;
  }

  private void export(List<Addition> additions, @Nullable SchemaFile file) throws IOException {
    if (file != null) {
      file.write(additions);
    } else if (!additions.isEmpty()) {
      err()
          .println(
              "nyala: "
                  + additions.size()
                  + " definitions that were added at run time are not in the export, "
                  + "and a new data directory needs them: --schema FILE writes them");
    }
  }

  private void export(LmdbBackend backend, NyalaConfig configuration) throws IOException {
    Schema schema = backend.extendedSchema().schema();
    CopyNotes.exported(err(), backend);
    CompiledFilter wanted =
        filter == null ? CompiledFilter.Constant.TRUE : compile(schema, configuration, filter);
    int ageSeconds = configuration.store().readerAgeSeconds();
    SnapshotAge age = new SnapshotAge(ageSeconds, System::nanoTime, this::isServed);
    // On a terminal the entries themselves must stay visible.
    boolean isShown = output != null || split != null;
    ExportedAttributes attributes = ExportedAttributes.of(configuration, schema, memberOf, except);
    long written;
    try (EntryLine progress = new EntryLine("exporting", progress(), System::nanoTime);
        LdifWriter none = new LdifWriter(OutputStream.nullOutputStream(), LdifWriter.NO_FOLDING)) {
      EntryProgress shown = isShown ? progress : (_, _) -> {};
      EntryProgress aged =
          (done, total) -> {
            age.require();
            shown.update(done, total);
          };
      written =
          split == null
              ? write(backend, configuration, schema, wanted, attributes, aged)
              : writeEach(
                  split,
                  attributes
                      .applyTo(new LdifExport(backend, schema, wanted, none))
                      .telling(aged, backend.entryCount()));
    }
    if (written == 0) {
      err().println("nyala: the export contains 0 entries");
    }
  }

  private long write(
      LmdbBackend backend,
      NyalaConfig configuration,
      Schema schema,
      CompiledFilter wanted,
      ExportedAttributes attributes,
      EntryProgress progress)
      throws IOException {
    Dn below =
        base == null
            ? null
            : ImportConfiguration.suffixes("--base", List.of(base), schema).getFirst();
    int ageSeconds = configuration.store().readerAgeSeconds();
    // A write that waits for a reader does not come to look at the age.
    boolean isAgeFirst =
        ageSeconds > 0 && (stallSeconds == 0 || ageSeconds < stallSeconds) && isServed();
    try (ExportFile file =
        ExportFile.open(
            output,
            Duration.ofSeconds(isAgeFirst ? ageSeconds : stallSeconds),
            isAgeFirst ? "store.readerAgeSeconds" : "--stall-seconds")) {
      LdifWriter writer = new LdifWriter(file.stream(), LdifWriter.DEFAULT_COLUMNS);
      long written =
          attributes
              .applyTo(new LdifExport(backend, schema, wanted, writer))
              .telling(progress, backend.entryCount())
              .run(below);
      file.commit();
      return written;
    }
  }

  /** Writes each naming context to a file; the files get into place when all are complete. */
  private long writeEach(Path folder, LdifExport export) throws IOException {
    try (ContextFiles files = new ContextFiles(folder)) {
      long written = export.runEach(files::open);
      files.commit();
      files.lines().forEach(out()::println);
      return written;
    }
  }

  private static CompiledFilter compile(Schema schema, NyalaConfig configuration, String text) {
    try {
      ServerLimits limits = configuration.limits();
      return new FilterCompiler(
              schema, _ -> true, limits.requests().filterDepth(), limits.requests().filterNodes())
          .compileOwn(FilterParser.parse(text));
    } catch (IllegalArgumentException | FilterLimitException e) {
      throw CommandException.usage("--filter: " + ErrorMessages.line(e));
    }
  }

  /**
   * The files of an export with one for each naming context, named after it.
   *
   * <p>Confined to one running operation. Closing it without a commit deletes what was written.
   */
  static final class ContextFiles implements AutoCloseable {
    private static final int MOST_NAME_CHARS = 100;

    private final Path folder;
    private final List<ExportFile> files = new ArrayList<>();
    private final Set<String> names = new HashSet<>();
    private final List<String> lines = new ArrayList<>();

    /** Writes to an existing folder. */
    ContextFiles(Path folder) {
      if (!Files.isDirectory(folder)) {
        throw CommandException.usage("--split: there is no folder " + folder);
      }
      this.folder = folder;
    }

    /** Opens the file of a naming context. */
    LdifWriter open(Dn context) throws IOException {
      Path target = folder.resolve(name(context));
      ExportFile file = ExportFile.open(target);
      files.add(file);
      lines.add(
          target
              + ": "
              + (context.rdnCount() == 0 ? "''" : ErrorMessages.printable(context.toString())));
      return new LdifWriter(file.stream(), LdifWriter.DEFAULT_COLUMNS);
    }

    /** Returns a name for a file that has no special characters, and that no other context has. */
    private String name(Dn context) {
      String plain = context.toString().replaceAll("[^A-Za-z0-9=,._-]", "_");
      String cut = plain.length() <= MOST_NAME_CHARS ? plain : plain.substring(0, MOST_NAME_CHARS);
      String begin =
          cut.isEmpty() ? "all" : cut.startsWith(".") || cut.startsWith("-") ? "_" + cut : cut;
      String name = begin;
      for (int i = 2; !names.add(name.toLowerCase(Locale.ROOT)); i++) {
        name = begin + "-" + i;
      }
      return name + ".ldif";
    }

    /** Moves all files to their places, after all of them are on disk. */
    void commit() throws IOException {
      for (ExportFile file : files) {
        file.complete();
      }
      for (ExportFile file : files) {
        file.commit();
      }
    }

    /** Returns a line for each file, with its naming context. */
    List<String> lines() {
      return lines;
    }

    @Override
    public void close() throws IOException {
      IOException first = null;
      for (ExportFile file : files) {
        try {
          file.close();
        } catch (IOException e) {
          first = first == null ? e : first;
        }
      }
      if (first != null) {
        throw first;
      }
    }
  }

  /**
   * The attributes that an export leaves out or computes.
   *
   * <p>Immutable.
   *
   * @param leftOut the types that are left out, computed or not
   * @param membership the rules by which memberOf is computed instead of stored; null if it is data
   *     like others
   */
  record ExportedAttributes(Set<AttributeType> leftOut, @Nullable Membership membership) {
    private static final String OBJECT_CLASS_OID = "2.5.4.0";

    /**
     * Reads the options.
     *
     * @param memberOf the wanted form of memberOf; null for the default
     * @param except the attributes to leave out
     * @throws CommandException if an attribute does not exist, or nothing is computed
     */
    static ExportedAttributes of(
        NyalaConfig configuration,
        Schema schema,
        ExportCommand.@Nullable MemberOf memberOf,
        List<String> except) {
      Set<AttributeType> leftOut = new HashSet<>();
      for (String name : except) {
        AttributeType type = schema.attributeType(name.strip());
        if (type == null || type.oid().equals(OBJECT_CLASS_OID)) {
          throw CommandException.usage(
              "--except: "
                  + (type == null ? "the schema has no attribute type " : "no entry is without ")
                  + ErrorMessages.printable(name));
        }
        leftOut.add(type);
      }
      Membership membership =
          NeededIndexes.rules(configuration, schema, Optional.empty()).membership();
      if (membership == null && memberOf == ExportCommand.MemberOf.computed) {
        throw CommandException.usage("--member-of computed: memberOf.enabled is not set");
      }
      AttributeType type =
          membership == null ? AttributeProviders.memberships(schema) : membership.memberOf();
      boolean isLeftOut =
          membership == null
              ? memberOf == ExportCommand.MemberOf.none
              : memberOf != ExportCommand.MemberOf.computed;
      if (isLeftOut && type != null) {
        leftOut.add(type);
      }
      return new ExportedAttributes(leftOut, membership);
    }

    /** Sets an export up. */
    LdifExport applyTo(LdifExport export) {
      LdifExport without = export.without(leftOut);
      return membership == null ? without : without.computing(membership);
    }
  }

  /**
   * A file of definitions for another data directory: a schema file for its folder, or LDIF, which
   * that folder may contain as well and which can be sent to a running server.
   *
   * <p>Immutable.
   */
  static final class SchemaFile {
    private static final String HEADER = "# Definitions that were added while the server ran: ";

    private final Path path;
    private final boolean isLdif;

    private SchemaFile(Path path, boolean isLdif) {
      this.path = path;
      this.isLdif = isLdif;
    }

    /**
     * Creates the description of a file, whose format is that of its suffix.
     *
     * @throws CommandException if it ends neither in {@code .schema} nor in {@code .ldif}, so that
     *     it would not be read again
     */
    static SchemaFile of(Path path) {
      String name = path.toString();
      if (!name.endsWith(".schema") && !name.endsWith(".ldif")) {
        throw CommandException.usage(
            "--schema " + path + ": the name must end in .schema or .ldif");
      }
      return new SchemaFile(path, name.endsWith(".ldif"));
    }

    /** Writes the file; it replaces an existing one when it is complete. */
    void write(List<Addition> additions) throws IOException {
      try (ExportFile file = ExportFile.open(path)) {
        OutputStream stream = file.stream();
        stream.write((isLdif ? ldif(additions) : directives(additions)).getBytes(UTF_8));
        file.commit();
      }
    }

    private static String directives(List<Addition> additions) {
      StringBuilder text = new StringBuilder(HEADER).append(additions.size()).append('\n');
      for (Addition addition : additions) {
        String directive =
            switch (addition.kind()) {
              case ATTRIBUTE_TYPE -> "attributetype";
              case OBJECT_CLASS -> "objectclass";
              case CONTENT_RULE -> "ditcontentrule";
              case NAME_FORM -> "nameform";
              case STRUCTURE_RULE -> "ditstructurerule";
            };
        text.append(directive).append(' ').append(addition.text()).append('\n');
      }
      return text.toString();
    }

    /* One modify adds all definitions, which may refer to each other in any order. */
    private static String ldif(List<Addition> additions) {
      StringBuilder text = new StringBuilder(HEADER).append(additions.size()).append('\n');
      if (!additions.isEmpty()) {
        text.append("dn: cn=Subschema\nchangetype: modify\n");
      }
      for (DefinitionKind kind : DefinitionKind.values()) {
        List<Addition> ofKind = additions.stream().filter(each -> each.kind() == kind).toList();
        if (!ofKind.isEmpty()) {
          text.append("add: ").append(kind.attribute()).append('\n');
          ofKind.forEach(each -> text.append(kind.attribute()).append(value(each.text())));
          text.append("-\n");
        }
      }
      return text.toString();
    }

    private static String value(String definition) {
      boolean isPlain = definition.chars().allMatch(c -> c >= ' ' && c < 0x7f);
      return isPlain
          ? ": " + definition + '\n'
          : ":: " + Base64.getEncoder().encodeToString(definition.getBytes(UTF_8)) + '\n';
    }
  }
}
