package org.nyala.cli.store;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.nyala.cli.command.DataCommand;
import org.nyala.cli.command.LdifFiles;
import org.nyala.cli.command.LoginOutlook;
import org.nyala.cli.command.ProgressLine;
import org.nyala.cli.command.Uniqueness;
import org.nyala.config.ImportConfiguration;
import org.nyala.config.NeededIndexes;
import org.nyala.config.NyalaConfig;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.load.ExtendedSchema;
import org.nyala.error.CommandException;
import org.nyala.error.ExitCode;
import org.nyala.error.Installation;
import org.nyala.importcheck.DataExamination;
import org.nyala.importcheck.ImportCheck;
import org.nyala.importcheck.ImportReport;
import org.nyala.lmdb.ldif.ImportResult;
import org.nyala.lmdb.ldif.ImportSettings;
import org.nyala.lmdb.ldif.LdifImport;
import org.nyala.service.DataMarker;
import org.nyala.service.UnfinishedJobs;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code nyala import}. */
@Command(
    name = "import",
    description = {
      "Loads LDIF files into the data directory while no server runs on it.",
      "The first entry's DN becomes the suffix, unless --suffix or the configuration "
          + "name others. The new data is built in a separate folder and put in place at "
          + "the end: until then the old data is unchanged in any case."
    })
public final class ImportCommand extends DataCommand {
  private static final double NANOS_PER_SECOND = 1e9;

  @Parameters(
      paramLabel = "LDIF",
      arity = "1..*",
      description = {
        "The files, read one after the other; - is standard input.",
        "Content that is compressed by gzip or zstd is unpacked."
      })
  private List<String> ldif = new ArrayList<>();

  @Option(
      names = "--reject",
      paramLabel = "FILE",
      description =
          "Write entries that cannot be imported to this file, each with its line "
              + "and the reason.")
  private @Nullable Path reject;

  @Option(
      names = "--replace",
      description =
          "Replace existing data, which is kept in a folder beside the data directory; the command"
              + " prints it.")
  private boolean replace;

  @Option(names = "--discard-old", description = "Do not keep the data that is replaced.")
  private boolean discardOld;

  @Option(
      names = "--maximum-rejected",
      paramLabel = "PERCENT",
      description = {
        "Do not replace existing data if more than this share of the entries is rejected.",
        "Default: " + ImportSettings.MAXIMUM_REJECTED_PERCENT
      })
  private int maximumRejectedPercent = ImportSettings.MAXIMUM_REJECTED_PERCENT;

  @Option(
      names = "--suffix",
      paramLabel = "DN",
      description =
          "A suffix, instead of those of the configuration and the first entry's DN. "
              + "May be given several times; '' is the whole tree.")
  private List<String> suffixes = new ArrayList<>();

  @Option(
      names = "--uniqueness",
      paramLabel = "report|reject",
      defaultValue = "report",
      description = {
        "The treatment of entries with a value that an entry before them has, against uniqueness in"
            + " the configuration. report imports them, as slapadd does, and lists them. reject"
            + " leaves them out, with the entries below them; it reads the files a second time if"
            + " there are any.",
        "Default: ${DEFAULT-VALUE}."
      })
  private Uniqueness uniqueness = Uniqueness.report;

  private Optional<Path> kept = Optional.empty();

  @Override
  public Integer call() throws IOException {
    NyalaConfig configuration = data().configuration();
    data().runDirectory().requireFree();
    Schema files = configuration.schema(Installation.current());
    ExtendedSchema definitions = ImportCheck.definitions(configuration, files, err()::println);
    Schema schema = definitions.schema();
    ImportSettings settings =
        ImportConfiguration.settings(configuration, schema)
            .with(draft -> draft.replace = replace)
            .with(draft -> draft.discardsOld = discardOld)
            .with(draft -> draft.maximumRejectedPercent = maximumRejectedPercent)
            .with(draft -> draft.rejectFile = reject);
    if (!suffixes.isEmpty()) {
      settings =
          settings.with(
              draft -> draft.suffixes = ImportConfiguration.suffixes("--suffix", suffixes, schema));
    }
    UnfinishedJobs.before("import", configuration).ifPresent(err()::println);
    DataMarker.lost(data().configurationFile(), configuration).ifPresent(err()::println);
    DataExamination examination =
        new DataExamination(configuration, files, definitions, uniqueness == Uniqueness.reject);
    requireIndexes(configuration, schema, settings);
    ImportResult result = run(configuration, definitions, settings, examination);
    DataMarker.note(data().configurationFile(), configuration);
    ImportReport report = examination.report(List.of(), result, schema, settings.indexes());
    report(report, configuration.data());
    LoginOutlook.of(configuration, report.passwords()).forEach(out()::println);
    return result.entriesRejected() == 0 ? ExitCode.OK : ExitCode.REJECTED;
  }

  /** Requires the indexes by which entries are compared before some of them are left out. */
  private void requireIndexes(NyalaConfig configuration, Schema schema, ImportSettings settings) {
    List<String> missing =
        NeededIndexes.missing(configuration, schema, settings.indexes()).keySet().stream()
            .map(AttributeType::name)
            .toList();
    if (uniqueness == Uniqueness.reject && !missing.isEmpty()) {
      throw CommandException.usage(
          "--uniqueness reject: nyala.indexes lacks eq for " + String.join(", ", missing));
    }
  }

  private ImportResult run(
      NyalaConfig configuration,
      ExtendedSchema definitions,
      ImportSettings settings,
      DataExamination examination) {
    ProgressLine progress = progress();
    try {
      LdifImport job =
          new LdifImport(definitions, settings, progress, InstantSource.system(), System::nanoTime)
              .examinedBy(examination);
      ImportResult result =
          job.run(ldif.stream().map(LdifFiles::source).toList(), configuration.data());
      kept = job.kept();
      return result;
    } finally {
      progress.finish();
    }
  }

  private void report(ImportReport report, Path directory) {
    ImportResult result = report.result();
    result.firstRejections().forEach(err()::println);
    if (result.entriesRejected() > result.firstRejections().size()) {
      err()
          .println(
              "... and "
                  + (result.entriesRejected() - result.firstRejections().size())
                  + " more"
                  + (reject == null
                      ? "; --reject FILE collects all"
                      : Files.isRegularFile(reject) ? "; " + reject + " has all" : ""));
    }
    report.problems().forEach(err()::println);
    double seconds = result.elapsedNanos() / NANOS_PER_SECOND;
    out()
        .printf(
            Locale.ROOT,
            "imported %d of %d entries into %s in %.1f s (%.0f/s), %d rejected; suffix %s%n",
            result.entriesImported(),
            result.entriesRead(),
            directory,
            seconds,
            result.entriesRead() / Math.max(seconds, 1e-3),
            result.entriesRejected(),
            suffixes(result.suffixes()));
    kept.ifPresent(
        folder ->
            out()
                .println(
                    "the old data was moved to "
                        + folder
                        + ": to go back, move its data.mdb over that in "
                        + directory));
    if (replace) {
      CopyNotes.imported(err());
    }
  }

  private static String suffixes(List<String> dns) {
    return dns.stream().map(dn -> dn.isEmpty() ? "''" : dn).collect(Collectors.joining(" and "));
  }
}
