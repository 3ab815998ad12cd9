package org.nyala.cli.store;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.cli.command.DataCommand;
import org.nyala.cli.command.ExportFile;
import org.nyala.config.NyalaConfig;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.dn.InvalidDnException;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.filter.FilterCompiler;
import org.nyala.core.filter.FilterLimitException;
import org.nyala.core.filter.FilterParser;
import org.nyala.core.ldif.LdifWriter;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.load.ExtendedSchema.Addition;
import org.nyala.error.CommandException;
import org.nyala.error.ErrorMessages;
import org.nyala.error.ExitCode;
import org.nyala.error.Installation;
import org.nyala.lmdb.LmdbBackend;
import org.nyala.lmdb.env.EntryProgress;
import org.nyala.lmdb.export.LdifExport;
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
        LmdbBackend.definitions(configuration.data(), schema, configuration.store()).additions(),
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
    Dn below = base == null ? null : dn(schema, base);
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

  private static Dn dn(Schema schema, String text) {
    try {
      return DnParser.parse(schema, text);
    } catch (InvalidDnException e) {
      throw new CommandException(ExitCode.USAGE, "--base '" + text + "': " + ErrorMessages.line(e));
    }
  }

  private static CompiledFilter compile(Schema schema, NyalaConfig configuration, String text) {
    try {
      ServerLimits limits = configuration.limits();
      return new FilterCompiler(
              schema, _ -> true, limits.requests().filterDepth(), limits.requests().filterNodes())
          .compileOwn(FilterParser.parse(text));
    } catch (IllegalArgumentException | FilterLimitException e) {
      throw new CommandException(ExitCode.USAGE, "--filter: " + ErrorMessages.line(e));
    }
  }
}
