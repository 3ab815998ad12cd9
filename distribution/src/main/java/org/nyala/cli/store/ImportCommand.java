package org.nyala.cli.store;

import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.nyala.cli.command.DataCommand;
import org.nyala.cli.command.ProgressLine;
import org.nyala.config.ImportConfiguration;
import org.nyala.config.NyalaConfig;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.load.ExtendedSchema;
import org.nyala.error.ErrorMessages;
import org.nyala.error.ExitCode;
import org.nyala.error.Installation;
import org.nyala.lmdb.LmdbBackend;
import org.nyala.lmdb.env.StoreException;
import org.nyala.lmdb.ldif.ImportResult;
import org.nyala.lmdb.ldif.ImportSettings;
import org.nyala.lmdb.ldif.ImportSource;
import org.nyala.lmdb.ldif.LdifImport;
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
  private List<String> files = new ArrayList<>();

  @Option(
      names = "--reject",
      paramLabel = "FILE",
      description =
          "Write entries that cannot be imported to this file, each with its line "
              + "and the reason.")
  private @Nullable Path reject;

  @Option(names = "--replace", description = "Replace existing data.")
  private boolean replace;

  @Option(
      names = "--suffix",
      paramLabel = "DN",
      description =
          "A suffix, instead of those of the configuration and the first entry's DN. "
              + "May be given several times; '' is the whole tree.")
  private List<String> suffixes = new ArrayList<>();

  @Override
  public Integer call() throws IOException {
    NyalaConfig configuration = data().configuration();
    data().runDirectory().requireFree();
    ExtendedSchema definitions =
        definitions(configuration, configuration.schema(Installation.current()));
    Schema schema = definitions.schema();
    ImportSettings settings =
        ImportConfiguration.settings(configuration, schema)
            .with(draft -> draft.replace = replace)
            .with(draft -> draft.rejectFile = reject);
    if (!suffixes.isEmpty()) {
      settings =
          settings.with(
              draft -> draft.suffixes = ImportConfiguration.suffixes("--suffix", suffixes, schema));
    }
    UnfinishedJobs.before("import", configuration).ifPresent(err()::println);
    ProgressLine progress = progress();
    ImportResult result;
    try {
      result =
          new LdifImport(definitions, settings, progress, InstantSource.system(), System::nanoTime)
              .run(files.stream().map(ImportCommand::source).toList(), configuration.data());
    } finally {
      progress.finish();
    }
    report(result, configuration.data());
    return result.entriesRejected() == 0 ? ExitCode.OK : ExitCode.REJECTED;
  }

  /**
   * Returns the definitions that clients have added. They are kept when the data is replaced,
   * because imported entries may need them; definitions in data that cannot be read are lost.
   */
  private ExtendedSchema definitions(NyalaConfig configuration, Schema schema) {
    if (configuration.hasData()) {
      try {
        return LmdbBackend.definitions(configuration.data(), schema, configuration.store());
      } catch (StoreException e) {
        err()
            .println(
                "the definitions of the data to be replaced are lost: " + ErrorMessages.line(e));
      }
    }
    return ExtendedSchema.of(schema);
  }

  private void report(ImportResult result, Path directory) {
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
    if (result.entriesRejected() > 1) {
      err().println("rejected by cause:");
      result.rejectionCauses().forEach(line -> err().println("  " + line));
    }
    result.warnings().forEach(line -> err().println("warning: " + line));
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
  }

  private static String suffixes(List<String> dns) {
    return dns.stream().map(dn -> dn.isEmpty() ? "''" : dn).collect(Collectors.joining(" and "));
  }

  private static ImportSource source(String name) {
    return name.equals("-")
        ? ImportSource.stream("standard input", Path.of(""), new FileInputStream(FileDescriptor.in))
        : ImportSource.file(Path.of(name));
  }
}
